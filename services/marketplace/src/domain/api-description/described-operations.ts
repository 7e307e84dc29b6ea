import {
  type DescribedMethod,
  type DescribedOperation,
  type DescribedParameter,
  describedMethods,
} from "@appserver/contracts/api-description";
import { quote } from "@appserver/contracts/patterns";
import { type DescribedPath, describedPath, serverPathOf } from "./described-path.ts";
import { DescriptionProblem, descriptionLimits, type PartBudget } from "./description-limits.ts";
import { DocumentReferences } from "./document-references.ts";
import { isObject, type JsonObject, own } from "./parse-document.ts";
import { plainLine } from "./plain-text.ts";
import { isValueName, ValueSchemas, withoutAbsent } from "./value-schemas.ts";

const operationName = /^[A-Za-z0-9_.-]{1,64}$/;
const jsonType = /^application\/(?:[a-z0-9.+-]{1,100}\+)?json\s*(?:;|$)/i;

/** Reduces the operations of a document. */
export class DescribedOperations {
  readonly #document: JsonObject;
  readonly #basePath: string;
  readonly #budget: PartBudget;
  readonly #references: DocumentReferences;
  readonly #schemas: ValueSchemas;
  readonly #names = new Set<string>();
  #operations = 0;

  constructor(document: JsonObject, basePath: string, budget: PartBudget) {
    this.#document = document;
    this.#basePath = basePath;
    this.#budget = budget;
    this.#references = new DocumentReferences(document, budget);
    this.#schemas = new ValueSchemas(this.#references, budget);
  }

  /** Throws DescriptionProblem for more than the limits allow. */
  read(): readonly DescribedOperation[] {
    const paths = own(this.#document, "paths");
    if (!isObject(paths)) throw new DescriptionProblem("has no paths");
    const serverPath = serverPathOf(this.#document);
    const found: DescribedOperation[] = [];
    for (const written of Object.keys(paths)) {
      const item = this.#references.resolve(paths[written]);
      const methods = describedMethods.filter((method) => isObject(own(item, method.toLowerCase())));
      this.#count(methods.length);
      const path = methods.length > 0 ? describedPath(written, serverPath, this.#basePath) : undefined;
      if (item && path) found.push(...methods.flatMap((method) => this.#operation(item, method, path) ?? []));
    }
    return found;
  }

  #count(operations: number): void {
    this.#operations += operations;
    const { operations: most } = descriptionLimits;
    if (this.#operations > most) throw new DescriptionProblem(`has more than ${most} operations`);
  }

  /** Returns undefined for an operation that needs a body which is not JSON. */
  #operation(item: JsonObject, method: DescribedMethod, path: DescribedPath): DescribedOperation | undefined {
    const operation = own(item, method.toLowerCase());
    const body = method === "GET" || method === "HEAD" ? undefined : this.#body(own(operation, "requestBody"));
    if (body === "unknown") return undefined;
    return withoutAbsent<DescribedOperation>({
      method,
      path: path.path,
      operationId: this.#nameOf(own(operation, "operationId")),
      summary: plainLine(own(operation, "summary"), descriptionLimits.summary),
      description: plainLine(own(operation, "description"), descriptionLimits.text),
      parameters: this.#parameters([own(item, "parameters"), own(operation, "parameters")], path, method),
      body,
    });
  }

  /** Returns the name of the operation, unless another one has it. */
  #nameOf(name: unknown): string | undefined {
    if (typeof name !== "string" || !operationName.test(name) || this.#names.has(name)) return undefined;
    this.#names.add(name);
    return name;
  }

  /** Those of an operation replace those of its path. Parameters of the path that the document leaves out are texts. */
  #parameters(lists: readonly unknown[], path: DescribedPath, method: DescribedMethod): readonly DescribedParameter[] {
    const found = new Map<string, DescribedParameter>();
    for (const name of path.parameters)
      found.set(`path ${name}`, { name, in: "path", required: true, schema: { type: "string" } });
    for (const list of lists) {
      if (!Array.isArray(list)) continue;
      this.#budget.spend(list.length);
      for (const each of list) {
        const parameter = this.#parameter(each, path);
        if (parameter) found.set(`${parameter.in} ${parameter.name}`, parameter);
      }
    }
    const { parameters } = descriptionLimits;
    if (found.size > parameters)
      throw new DescriptionProblem(`has more than ${parameters} parameters at ${method} ${quote(path.path)}`);
    return [...found.values()];
  }

  /** Returns undefined for headers and cookies, and for names that are not kept. */
  #parameter(declared: unknown, path: DescribedPath): DescribedParameter | undefined {
    const parameter = this.#references.resolve(declared);
    const [name, place] = [own(parameter, "name"), own(parameter, "in")];
    if (!isValueName(name) || (place !== "query" && !(place === "path" && path.parameters.has(name)))) return undefined;
    const schema = this.#schemas.reduce(own(parameter, "schema"));
    return { name, in: place, required: place === "path" || own(parameter, "required") === true, schema };
  }

  /** Returns `unknown` if the operation needs a body that is not JSON. */
  #body(declared: unknown): DescribedOperation["body"] | "unknown" {
    const body = this.#references.resolve(declared);
    if (!body) return undefined;
    const content = own(body, "content");
    const types = isObject(content) ? Object.keys(content) : [];
    this.#budget.spend(types.length);
    const type = types.find((each) => jsonType.test(each));
    const required = own(body, "required") === true;
    if (type === undefined) return required ? "unknown" : undefined;
    return { required, schema: this.#schemas.reduce(own(own(content, type), "schema")) };
  }
}
