export { withFileLock } from "./file-lock.ts";
export { isAlive, ownIdentity, type ProcessIdentity, startTimeOf } from "./process-identity.ts";
export { type ProcessImage, ProcessRuntime, type ProcessRuntimeOptions } from "./process-runtime.ts";
