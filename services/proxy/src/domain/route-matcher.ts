import {
  compileRoutePattern,
  type Expression,
  expressionLimits,
  MatchBudget,
  MatchBudgetError,
} from "@appserver/contracts/patterns";

/** Where the routes of one pattern hang. Routes of equal patterns share a place and differ by method. */
interface Node<R> {
  /** Absent on leaves: with 100,000 routes, empty maps are what memory is spent on. */
  literals: Map<string, Node<R>> | undefined;
  any: Node<R> | undefined;
  /** Routes that end here. */
  exact: R[] | undefined;
  /** Routes that match here and everything below. */
  prefix: R[] | undefined;
}

interface RegexEntry<R> {
  readonly expression: Expression;
  readonly routes: R[];
}

/**
 * What one request may cost: a longer path matches no regex route, and all regex routes of an app together take no more steps
 * than these, some 6 ms.
 */
export const matchLimits = { pathLength: 4_096, steps: 500_000 } as const;

/**
 * Finds the routes of the most specific pattern that matches a path: exact before single segment and `{param}`, before
 * prefix and `{path...}`, before regex in declaration order; among equals a literal further left wins. Built once per
 * version of an app (docs/interface/proxy.md#route-matching).
 */
export class RouteMatcher<R extends { readonly pattern: string }> {
  readonly #exact = new Map<string, readonly R[]>();
  readonly #root: Node<R> = newNode();
  readonly #regexes: RegexEntry<R>[] = [];
  readonly #regexBySource = new Map<string, RegexEntry<R>>();
  /** Of all expressions together. */
  #size = 0;
  /** Best prefix of the walk under way. */
  #prefix: readonly R[] | undefined;

  readonly #ignoresCase: boolean;

  /**
   * With `ignoresCase` literals match lower-case paths, whatever their own case, and a slash at the end of a pattern does not
   * count. Throws RangeError for a pattern that does not compile, and for expressions that are too large together.
   */
  constructor(routes: readonly R[], { ignoresCase }: { readonly ignoresCase: boolean } = { ignoresCase: false }) {
    this.#ignoresCase = ignoresCase;
    for (const route of routes) this.#add(route);
  }

  /**
   * The routes at the winning pattern, at least one; undefined when nothing matches. `path` begins with `/`. With a budget of
   * the caller's it throws MatchBudgetError where that is used up; else an expression that takes too long does not match.
   */
  match(path: string, budget?: MatchBudget): readonly R[] | undefined {
    const exact = this.#exact.get(path);
    if (exact) return exact;
    this.#prefix = undefined;
    return this.#walk(this.#root, path.slice(1).split("/"), 0) ?? this.#prefix ?? this.#matchRegex(path, budget);
  }

  /** One walk for both kinds: answers exact ends at once, and notes the first prefix on the way back. */
  #walk(node: Node<R>, segments: readonly string[], depth: number): readonly R[] | undefined {
    const segment = segments[depth];
    if (segment === undefined) {
      this.#prefix ??= node.prefix;
      return node.exact;
    }
    const literal = node.literals?.get(segment);
    const found = literal && this.#walk(literal, segments, depth + 1);
    if (found) return found;
    // A parameter is a segment with text in it: `/items/` is not an item.
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
    const pattern = compileRoutePattern(route.pattern);
    if (pattern.kind === "regex") {
      this.#addRegex(route, pattern.expression);
      return;
    }
    let node = this.#root;
    const segments = this.#ignoresCase ? folded(pattern.segments) : pattern.segments;
    for (const segment of segments) node = childOf(node, segment);
    if (pattern.isPrefix) {
      node.prefix = [...(node.prefix ?? []), route];
      return;
    }
    node.exact = [...(node.exact ?? []), route];
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

/** A path that an expression cannot judge within the budget does not match it. */
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
