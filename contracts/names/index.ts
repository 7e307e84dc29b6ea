export { activityNamePattern } from "./activity-name.ts";
export {
  appNameLimit,
  appNamePattern,
  isAppName,
  isPlatformHook,
  isReservedAppName,
  nameGrammar,
} from "./app-name.ts";
export { appsOfContainer, containerName } from "./container-name.ts";
export { containerUserForm, defaultContainerUser, isContainerUser, isRootUser, userWithGroup } from "./container-user.ts";
export {
  environmentNameGrammar,
  environmentNameLimit,
  isEnvironmentName,
  isReservedEnvironmentName,
} from "./environment-name.ts";
export { hookNameLimit, isHookName } from "./hook-name.ts";
export { imageDigestForm, isImageDigest } from "./image-digest.ts";
export {
  type ImageReferenceParts,
  imageOwner,
  imageReference,
  imageReferenceProblem,
  imageRepository,
  imageStages,
} from "./image-reference.ts";
export { isCallPath, isOwnPath, ownPathSegments } from "./own-paths.ts";
export { isSettingsKeyId, settingsKeyIdGrammar } from "./settings-key-id.ts";
export {
  isStorageName,
  storageBytes,
  storageNameLimit,
  storageNamePattern,
  storageSizePattern,
  storageVariable,
} from "./storage-name.ts";
