import { type AppApi, type AppRoute, servedRoutes } from "../manifest/app-api.ts";
import { MatchBudget } from "../patterns/compile-expression.ts";
import { expressionSize } from "../patterns/expression-size.ts";
import { matchLimits, RouteMatcher } from "../patterns/route-matcher.ts";
import { regexOfPattern } from "../patterns/route-pattern.ts";
import { type ApiDescription, type DescribedMethod, type DescribedOperation, describedMethods } from "./api-description.ts";

/** A route that an API serves, with the operations that describe its requests. */
export interface DescribedRoute {
  readonly route: AppRoute;
  readonly operations: readonly DescribedOperation[];
}

/**
 * Returns the routes that an API serves, each with those operations of its description whose requests the proxy sends to this route,
 * whatever value a parameter has. Most specific patterns win, as in the proxy, and one route has each operation. Operations without a
 * route are left out; routes and what they require are those of the manifest. A parameter matches a `regex:` pattern if any text does,
 * and all of them together take as many steps as for one request; operations beyond that have no such route.
 */
export function describedRoutes(
  api: Pick<AppApi, "routes" | "everything">,
  description: Pick<ApiDescription, "operations">,
): readonly DescribedRoute[] {
  const routes = servedRoutes(api);
  const find = routeFinder(routes);
  const described = new Map(
    routes.map((route) => [route, { methods: allowedMethods(route), operations: [] as DescribedOperation[] }]),
  );
  for (const operation of description.operations) {
    const route = find(operation.path)?.find((each) => described.get(each)?.methods.has(operation.method));
    if (route) described.get(route)?.operations.push(operation);
  }
  return routes.map((route) => ({ route, operations: described.get(route)?.operations ?? [] }));
}

/** In place of the value of a parameter: no literal of a pattern has it. */
const anyValue = "\0";
const variableSegment = /[^/]*\{[^/]*/g;

function routeFinder(routes: readonly AppRoute[]): (path: string) => readonly AppRoute[] | undefined {
  const [regexes, paths] = [routes.filter(isRegex), routes.filter((route) => !isRegex(route))];
  const byPath = new RouteMatcher(paths);
  const byRegex = new RouteMatcher(regexes);
  const sources = new Set(regexes.map(({ pattern }) => regexOfPattern(pattern) ?? ""));
  const size = [...sources].reduce((sum, source) => sum + expressionSize(source), 0);
  const budget = new MatchBudget(matchLimits.steps);
  return (path) => {
    const sample = path.replace(variableSegment, anyValue);
    const found = byPath.match(sample);
    if (found || size === 0) return found;
    return budget.take(size * (sample.length + 1)) ? byRegex.match(sample) : undefined;
  };
}

function isRegex({ pattern }: AppRoute): boolean {
  return regexOfPattern(pattern) !== undefined;
}

/** As the proxy reads the methods of a route. */
function allowedMethods({ methods }: AppRoute): ReadonlySet<DescribedMethod> {
  const names = new Set(methods.map((method) => method.toUpperCase()));
  const isAny = names.has("*") || names.has("ANY");
  return new Set(describedMethods.filter((method) => isAny || names.has(method) || (method === "HEAD" && names.has("GET"))));
}
