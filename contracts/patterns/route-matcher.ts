import { type Expression, MatchBudget, MatchBudgetError } from "./compile-expression.ts";
import { expressionLimits } from "./expression-size.ts";
import { quote } from "./quote.ts";
import { parseRoutePattern } from "./route-pattern.ts";

/** A node of the route tree. Routes with equal patterns share a node and differ by method. */
interface Node<R> {
  /** Undefined on leaves: with 100,000 routes, empty maps would use most of the memory. */
  literals: Map<string, Node<R>> | undefined;
  any: Node<R> | undefined;
  /** Routes that end at this node. */
  exact: R[] | undefined;
  /** Routes that match this node and everything below. */
  prefix: R[] | undefined;
}

interface RegexEntry<R> {
  readonly expression: Expression;
  readonly routes: R[];
}

/**
 * Maximum cost of one request. A longer path matches no regex route. All regex routes of an app together take at most this
 * number of steps, about 6 ms.
 */
export const matchLimits = { pathLength: 4_096, steps: 500_000 } as const;

/**
 * Finds the routes of the most specific pattern that matches a path: exact before single segment and `{param}`, before prefix
 * and `{path...}`, before regex in declaration order. Among equals, a literal further left wins. Built once per version of an
 * app (docs/interface/proxy.md#route-matching).
 */
export class RouteMatcher<R extends { readonly pattern: string }> {
  readonly #exact = new Map<string, readonly R[]>();
  readonly #root: Node<R> = newNode();
  readonly #regexes: RegexEntry<R>[] = [];
  readonly #regexBySource = new Map<string, RegexEntry<R>>();
  /** The size of all expressions together. */
  #size = 0;
  /** The best prefix of the current walk. */
  #prefix: readonly R[] | undefined;

  readonly #ignoresCase: boolean;

  /**
   * With `ignoresCase`, literals are compared with lower-case paths, whatever their own case, and a trailing slash of a pattern
   * is ignored. Throws RangeError for a pattern that does not compile, and for expressions that are too large together.
   */
  constructor(routes: readonly R[], { ignoresCase }: { readonly ignoresCase: boolean } = { ignoresCase: false }) {
    this.#ignoresCase = ignoresCase;
    for (const route of routes) this.#add(route);
  }

  /**
   * Returns the routes of the winning pattern, at least one, or undefined if nothing matches. `path` starts with `/`. With a
   * `budget` argument it throws MatchBudgetError when the budget is used up. Without it, an expression that takes too long does
   * not match.
   */
  match(path: string, budget?: MatchBudget): readonly R[] | undefined {
    const exact = this.#exact.get(path);
    if (exact) return exact;
    this.#prefix = undefined;
    return this.#walk(this.#root, path.slice(1).split("/"), 0) ?? this.#prefix ?? this.#matchRegex(path, budget);
  }

  /** Walks the tree once for both kinds: returns exact matches at once, and stores the first prefix on the way back. */
  #walk(node: Node<R>, segments: readonly string[], depth: number): readonly R[] | undefined {
    const segment = segments[depth];
    if (segment === undefined) {
      this.#prefix ??= node.prefix;
      return node.exact;
    }
    const literal = node.literals?.get(segment);
    const found = literal && this.#walk(literal, segments, depth + 1);
    if (found) return found;
    // A parameter needs a non-empty segment: `/items/` is not an item.
    const below = node.any && segment !== "" ? this.#walk(node.any, segments, depth + 1) : undefined;
    if (below) return below;
    this.#prefix ??= node.prefix;
    return undefined;
  }

  #matchRegex(path: string, granted: MatchBudget | undefined): readonly R[] | undefined {
    if (this.#regexes.length === 0 || path.length > matchLimits.pathLength) return undefined;
    if (granted) return this.#regexes.find(({ expression }) => expression.matchesWhole(path, granted))?.routes;
    const budget = new MatchBudget(matchLimits.steps);
    return this.#regexes.find(({ expression }) => matches(expression, path, budget))?.routes;
  }

  #add(route: R): void {
    const known = this.#regexBySource.get(route.pattern);
    if (known) {
      known.routes.push(route);
      return;
    }
    const pattern = parseRoutePattern(route.pattern);
    if ("problem" in pattern) throw new RangeError(`the pattern ${quote(route.pattern)} ${pattern.problem}`);
    if (pattern.kind === "regex") {
      this.#addRegex(route, pattern.expression);
      return;
    }
    let node = this.#root;
    const segments = this.#ignoresCase ? folded(pattern.segments) : pattern.segments;
    for (const segment of segments) node = childOf(node, segment);
    if (pattern.isPrefix) {
      node.prefix = withRoute(node.prefix, route);
      return;
    }
    node.exact = withRoute(node.exact, route);
    if (!segments.includes(undefined)) this.#exact.set(`/${segments.join("/")}`, node.exact);
  }

  #addRegex(route: R, expression: Expression): void {
    this.#size += expression.size;
    const { manifestSize } = expressionLimits;
    if (this.#size > manifestSize) {
      throw new RangeError(`the regex routes have ${this.#size} instructions together; expected at most ${manifestSize}`);
    }
    const entry = { expression, routes: [route] };
    this.#regexes.push(entry);
    this.#regexBySource.set(route.pattern, entry);
  }
}

/** Returns whether the expression matches the path. False if the budget is used up. */
function matches(expression: Expression, path: string, budget: MatchBudget): boolean {
  try {
    return expression.matchesWhole(path, budget);
  } catch (error) {
    if (error instanceof MatchBudgetError) return false;
    throw error;
  }
}

function folded(segments: readonly (string | undefined)[]): readonly (string | undefined)[] {
  const kept = segments.length > 1 && segments.at(-1) === "" ? segments.slice(0, -1) : segments;
  return kept.map((segment) => segment?.toLowerCase());
}

/** A list that grows has spare room, which most nodes never use. */
function withRoute<R>(routes: readonly R[] | undefined, route: R): R[] {
  return routes ? [...routes, route] : [route];
}

function newNode<R>(): Node<R> {
  return { literals: undefined, any: undefined, exact: undefined, prefix: undefined };
}

function childOf<R>(node: Node<R>, segment: string | undefined): Node<R> {
  if (segment === undefined) {
    node.any ??= newNode();
    return node.any;
  }
  node.literals ??= new Map();
  const known = node.literals.get(segment);
  if (known) return known;
  const child = newNode<R>();
  node.literals.set(segment, child);
  return child;
}
