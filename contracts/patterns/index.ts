export { compileExpression, type Expression, MatchBudget, MatchBudgetError } from "./compile-expression.ts";
export { expressionLimits, expressionSize } from "./expression-size.ts";
export { httpUrlProblem } from "./http-url.ts";
export { inputSchemaLimits } from "./input-schema-limits.ts";
export { normalisePath } from "./normalise-path.ts";
export { type Problem, problemOf } from "./problem.ts";
export { quote } from "./quote.ts";
export { type CompiledPattern, parseRoutePattern, regexOfPattern } from "./route-pattern.ts";
export { upstreamPathProblem, upstreamUrl } from "./upstream-path.ts";
