export { inexactNumberPath, inexactNumberProblem, isExactNumber } from "./exact-numbers.ts";
