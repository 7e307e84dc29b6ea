import { messageOf } from "@appserver/kernel";
import { type CelInput, CelScalar, celEnv, celFunc, celMethod, isCelError, parse, plan } from "@bufbuild/cel";
import type { ConditionDefinition, ParameterType } from "./authorization-model.ts";
import type { Condition } from "./condition.ts";
import { convertParameter } from "./condition-parameters.ts";
import { canonicalAddress, isInCidr } from "./ip-address.ts";

const { BOOL, STRING } = CelScalar;

type Evaluate = (bindings: Record<string, CelInput>) => unknown;

/**
 * A condition in the Common Expression Language with OpenFGA's parameter types. At run time IP addresses are strings in
 * canonical form, because the language's JavaScript runtime does not support custom opaque types.
 */
export class CelCondition implements Condition {
  readonly #name: string;
  readonly #parameters: ReadonlyMap<string, ParameterType>;
  readonly #evaluate: Evaluate;

  /** Throws an Error that names the condition if its expression does not parse. */
  constructor(definition: ConditionDefinition) {
    this.#name = definition.name;
    this.#parameters = new Map(Object.entries(definition.parameters ?? {}));
    const environment = celEnv({
      funcs: [
        celFunc("ipaddress", [STRING], STRING, (text) => canonicalAddress(text)),
        celMethod("in_cidr", STRING, [STRING], BOOL, function (cidr) {
          return isInCidr(this, cidr);
        }),
      ],
    });
    try {
      this.#evaluate = plan(environment, parse(definition.expression)) as Evaluate;
    } catch (error) {
      throw new Error(`condition ${definition.name} does not compile: ${messageOf(error)}`, { cause: error });
    }
  }

  isMet(context: Readonly<Record<string, unknown>>): boolean {
    const bindings: Record<string, CelInput> = {};
    const missing: string[] = [];
    for (const [parameter, type] of this.#parameters) {
      if (Object.hasOwn(context, parameter)) bindings[parameter] = this.#convert(parameter, type, context[parameter]);
      else missing.push(parameter);
    }
    // Missing values are refused even if the others would decide, as in OpenFGA.
    if (missing.length > 0) throw new Error(`condition ${this.#name} needs ${missing.join(", ")}`);
    const result = this.#evaluate(bindings);
    if (isCelError(result)) throw new Error(`condition ${this.#name} failed: ${result.message}`, { cause: result });
    if (typeof result !== "boolean") throw new Error(`condition ${this.#name} must return a boolean, got ${typeof result}`);
    return result;
  }

  invalidContext(context: Readonly<Record<string, unknown>>): string | undefined {
    for (const [parameter, value] of Object.entries(context)) {
      const type = this.#parameters.get(parameter);
      if (!type) return `condition ${this.#name} has no parameter ${parameter}`;
      try {
        this.#convert(parameter, type, value);
      } catch (error) {
        return messageOf(error);
      }
    }
    return undefined;
  }

  #convert(parameter: string, type: ParameterType, value: unknown): CelInput {
    try {
      return convertParameter(type, value);
    } catch (error) {
      throw new Error(`condition ${this.#name}, parameter ${parameter}: ${messageOf(error)}`, { cause: error });
    }
  }
}
