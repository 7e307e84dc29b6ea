export { AppError, type AppErrorOptions, type ErrorCode, type FieldViolation, isAppError, messageOf } from "./app-error.ts";
export { actorOf, anonymousCaller, type Caller, subjectOf } from "./caller.ts";
export { type Clock, SystemClock } from "./clock.ts";
export { isUuid, uuidv7 } from "./ids.ts";
export { type Component, Lifecycle } from "./lifecycle.ts";
export { type Logger, silentLogger } from "./logger.ts";
export { isPromise, type MaybePromise } from "./maybe-promise.ts";
