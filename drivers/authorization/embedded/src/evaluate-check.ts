import { messageOf } from "@appserver/kernel";
import type { CheckRequest } from "@appserver/kernel/ports";
import { CheckError, errorCodes } from "./check-error.ts";
import type { Model, Rewrite } from "./model.ts";
import { type ConditionalTuple, formatTuple, typeOf, usersetOf } from "./relationship.ts";
import { type IndexedTuple, LayeredTuples, TupleIndex, type TupleReader } from "./tuple-index.ts";
import { invalidQuestion, invalidTuple } from "./validate-tuple.ts";

/** Maximum usersets and tuplesets on one path; a deeper check is too complex. OpenFGA's default. */
const depthLimit = 25;
/** Maximum usersets visited for one check. Densely nested groups have more paths than any deadline would allow. */
const stepLimit = 100_000;

export interface EvaluableRequest extends CheckRequest {
  readonly contextualTuples?: readonly ConditionalTuple[];
}

/**
 * Evaluates a check by OpenFGA's rules. Throws {@link CheckError} with OpenFGA's code for a malformed check (2000), a condition
 * without its values (2000), a check that is too complex (2002), or an invalid contextual tuple (2027).
 */
export function evaluateCheck(model: Model, tuples: TupleReader, request: EvaluableRequest): boolean {
  const problem = invalidQuestion(model, request);
  if (problem) throw new CheckError(errorCodes.validationError, problem);
  const outcome = new Evaluation(model, withContextual(model, tuples, request), request).resolve(
    request.object,
    request.relation,
    depthLimit,
  );
  if (outcome instanceof CheckError) throw outcome;
  return outcome === "allowed";
}

function withContextual(model: Model, tuples: TupleReader, request: EvaluableRequest): TupleReader {
  const contextual = request.contextualTuples ?? [];
  if (contextual.length === 0) return tuples;
  for (const tuple of contextual) {
    const problem = invalidTuple(model, tuple);
    if (problem) throw new CheckError(errorCodes.invalidTuple, `contextual tuple ${formatTuple(tuple)}: ${problem}`);
  }
  return new LayeredTuples(new TupleIndex(model, contextual), tuples);
}

/** `cycle` is a denial because a path returned to itself. Exclusions must not turn it into a grant. */
type Outcome = "allowed" | "denied" | "cycle" | CheckError;

/** One check in progress. An error in one branch is ignored if another branch decides; see each operator. */
class Evaluation {
  readonly #model: Model;
  readonly #tuples: TupleReader;
  readonly #user: string;
  readonly #userType: string;
  readonly #context: Readonly<Record<string, unknown>>;
  /** Usersets between the check and the current position. */
  readonly #path = new Set<string>();
  /** Outcomes that are valid on every path. */
  readonly #settled = new Map<string, Outcome>();
  #steps = 0;
  /** Created once: dense graphs reach the limit many times, and creating an error with its stack is expensive. */
  #tooDeep: CheckError | undefined;

  constructor(model: Model, tuples: TupleReader, request: EvaluableRequest) {
    this.#model = model;
    this.#tuples = tuples;
    this.#user = request.user;
    this.#userType = typeOf(request.user);
    this.#context = request.context ?? {};
  }

  resolve(object: string, relation: string, depth: number): Outcome {
    this.#steps += 1;
    // Thrown, not returned, so that no other branch continues the search.
    if (this.#steps > stepLimit) throw tooComplex(`more than ${stepLimit} steps`);
    if (depth === 0) {
      this.#tooDeep ??= tooComplex(`more than ${depthLimit} levels deep`);
      return this.#tooDeep;
    }
    const userset = usersetOf(object, relation);
    if (this.#path.has(userset)) return "cycle";
    if (userset === this.#user) return "allowed";
    const settled = this.#settled.get(userset);
    if (settled) return settled;
    const rewrite = this.#model.relation(typeOf(object), relation)?.rewrite;
    if (!rewrite) return new CheckError(errorCodes.validationError, `relation ${typeOf(object)}#${relation} is undefined`);
    this.#path.add(userset);
    const outcome = this.#rewrite(rewrite, object, userset, depth);
    this.#path.delete(userset);
    if (outcome === "allowed" || outcome === "denied") this.#settled.set(userset, outcome);
    return outcome;
  }

  #rewrite(rewrite: Rewrite, object: string, userset: string, depth: number): Outcome {
    switch (rewrite.kind) {
      case "direct":
        return this.#direct(userset, depth);
      case "computed":
        return this.resolve(object, rewrite.relation, depth);
      case "from":
        return this.#from(usersetOf(object, rewrite.tupleset), rewrite.relation, depth);
      case "union":
        return union(rewrite.children, (child) => this.#rewrite(child, object, userset, depth));
      case "intersection":
        return intersection(rewrite.children, (child) => this.#rewrite(child, object, userset, depth));
      case "exclusion":
        return exclusion(
          () => this.#rewrite(rewrite.base, object, userset, depth),
          () => this.#rewrite(rewrite.subtract, object, userset, depth),
        );
    }
  }

  #direct(userset: string, depth: number): Outcome {
    const tuple = this.#tuples.direct(userset, this.#user);
    const named = tuple ? this.#isMet(tuple) : false;
    if (named === true) return "allowed";
    const related = this.#followed(this.#tuples.usersets(userset), ({ subject }) => {
      if (subject.wildcard) return subject.type === this.#userType ? "allowed" : "denied";
      return this.resolve(subject.object, subject.relation, depth - 1);
    });
    return named instanceof CheckError && related !== "allowed" ? named : related;
  }

  #from(tupleset: string, relation: string, depth: number): Outcome {
    return this.#followed(this.#tuples.all(tupleset), ({ subject }) => {
      // One tupleset may contain objects of several types, and some of these may lack the relation.
      if (!this.#model.relation(subject.type, relation)) return "denied";
      return this.resolve(subject.object, relation, depth - 1);
    });
  }

  /**
   * Returns the union over the tuples whose conditions are met. A failing condition counts only if no tuple's condition is met.
   */
  #followed(tuples: Iterable<IndexedTuple>, follow: (tuple: IndexedTuple) => Outcome): Outcome {
    let failure: CheckError | undefined;
    let anyMet = false;
    let outcome: Outcome = "denied";
    for (const tuple of tuples) {
      const met = this.#isMet(tuple);
      if (met instanceof CheckError) failure = met;
      if (met !== true) continue;
      anyMet = true;
      outcome = either(outcome, follow(tuple));
      if (outcome === "allowed") return outcome;
    }
    return failure && !anyMet ? failure : outcome;
  }

  #isMet({ tuple }: IndexedTuple): boolean | CheckError {
    if (!tuple.condition) return true;
    try {
      const condition = this.#model.condition(tuple.condition.name);
      if (!condition) throw new Error(`condition ${tuple.condition.name} is undefined`);
      return condition.isMet({ ...this.#context, ...tuple.condition.context });
    } catch (error) {
      return new CheckError(errorCodes.validationError, `${formatTuple(tuple)}: ${messageOf(error)}`);
    }
  }
}

/** Combines two branches of a union: a grant wins, then an error, then a cycle. */
function either(left: Outcome, right: Outcome): Outcome {
  if (left === "allowed" || right === "allowed") return "allowed";
  if (right instanceof CheckError) return right;
  if (left instanceof CheckError) return left;
  return left === "cycle" || right === "cycle" ? "cycle" : "denied";
}

function union(children: readonly Rewrite[], resolve: (child: Rewrite) => Outcome): Outcome {
  let outcome: Outcome = "denied";
  for (const child of children) {
    outcome = either(outcome, resolve(child));
    if (outcome === "allowed") break;
  }
  return outcome;
}

/** Combines branches of an intersection. A denial wins over an error, because no other branch can turn it into a grant. */
function intersection(children: readonly Rewrite[], resolve: (child: Rewrite) => Outcome): Outcome {
  let failure: CheckError | undefined;
  for (const child of children) {
    const outcome = resolve(child);
    if (outcome instanceof CheckError) failure = outcome;
    else if (outcome !== "allowed") return outcome;
  }
  return failure ?? "allowed";
}

function exclusion(resolveBase: () => Outcome, resolveSubtract: () => Outcome): Outcome {
  const base = resolveBase();
  if (base === "denied" || base === "cycle") return base;
  const subtract = resolveSubtract();
  if (subtract === "allowed") return "denied";
  if (subtract === "cycle") return "cycle";
  if (base instanceof CheckError) return base;
  return subtract instanceof CheckError ? subtract : "allowed";
}

function tooComplex(how: string): CheckError {
  return new CheckError(errorCodes.resolutionTooComplex, `the check is too complex: ${how}`);
}
