export type { AuthorizationModel } from "./authorization-model.ts";
export { CheckError, errorCodes, type OpenFgaErrorCode } from "./check-error.ts";
export { type EvaluableRequest, evaluateCheck } from "./evaluate-check.ts";
export { compileModel, type Model } from "./model.ts";
export { parseModel } from "./parse-model.ts";
export type { ConditionalTuple, TupleCondition } from "./relationship.ts";
export { TupleIndex } from "./tuple-index.ts";
export { invalidTuple } from "./validate-tuple.ts";
