import { type CompiledPattern, compilePattern } from "./route-pattern.ts";

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
  readonly pattern: Extract<CompiledPattern, { kind: "regex" }>;
  readonly routes: R[];
}

/**
 * Finds the routes of the most specific pattern that matches a path: exact before single segment and `{param}`, before
 * prefix and `{path...}`, before regex in declaration order; among equals a literal further left wins. Built once per
 * version of an app. Source: behaviour "Proxy", Path.
 */
export class RouteMatcher<R extends { readonly pattern: string }> {
  readonly #exact = new Map<string, readonly R[]>();
  readonly #root: Node<R> = newNode();
  readonly #regexes: RegexEntry<R>[] = [];
  /** Best prefix of the walk under way. */
  #prefix: readonly R[] | undefined;

  /** Throws RangeError for a pattern that does not compile. */
  constructor(routes: readonly R[]) {
    for (const route of routes) this.#add(route);
  }

  /** The routes at the winning pattern, at least one; undefined when nothing matches. `path` begins with `/`. */
  match(path: string): readonly R[] | undefined {
    const exact = this.#exact.get(path);
    if (exact) return exact;
    this.#prefix = undefined;
    return this.#walk(this.#root, path.slice(1).split("/"), 0) ?? this.#prefix ?? this.#matchRegex(path);
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

  #matchRegex(path: string): readonly R[] | undefined {
    for (const { pattern, routes } of this.#regexes) if (pattern.matches(path)) return routes;
    return undefined;
  }

  #add(route: R): void {
    const pattern = compilePattern(route.pattern);
    if (pattern.kind === "regex") {
      const same = this.#regexes.find((entry) => entry.pattern.source === pattern.source);
      if (same) same.routes.push(route);
      else this.#regexes.push({ pattern, routes: [route] });
      return;
    }
    let node = this.#root;
    for (const segment of pattern.segments) node = childOf(node, segment);
    if (pattern.isPrefix) {
      node.prefix = [...(node.prefix ?? []), route];
      return;
    }
    node.exact = [...(node.exact ?? []), route];
    if (!pattern.segments.includes(undefined)) this.#exact.set(`/${pattern.segments.join("/")}`, node.exact);
  }
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
