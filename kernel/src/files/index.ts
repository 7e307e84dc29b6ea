export { FileLockTimeoutError, type HeldFileLock, takeFileLock, withFileLock } from "./file-lock.ts";
export {
  isAlive,
  isGroupRunning,
  listedProcess,
  ownIdentity,
  type ProcessIdentity,
  processNumbers,
  startTimeOf,
} from "./process-identity.ts";
export { createFile, replaceFile, syncFolder } from "./write-file.ts";
