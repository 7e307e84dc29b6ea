export { ActivityError, type ActivityHandler, type ActivityOptions, type ActivityRun } from "./activities/activity.ts";
export { type ActivityWorker, type ActivityWorkerOptions, createActivityWorker } from "./activities/activity-worker.ts";
export { createRuns, type RunReport, type Runs, type StartOptions } from "./activities/runs.ts";
export { type AppClient, type AppClientOptions, type AppRequest, createAppClient } from "./app-client.ts";
export { type AppEnvironment, appEnvironment } from "./app-environment.ts";
export { type AppIdentity, readAppIdentity } from "./app-identity.ts";
export { type AppKeys, certificateFile, ensureAppKeys, keyFile, readAppKeys } from "./app-keys.ts";
export { type AppSettings, type AppSettingsOptions, appSettings, type SettingValues } from "./app-settings.ts";
export { type BodyFields, bodyFields } from "./body-fields.ts";
export { type CurrentTrace, currentTrace, runInTrace } from "./current-trace.ts";
export { type FolderBackend, folderBackend, ownPython } from "./folder-backend.ts";
export { type Command, type FolderCommands, folderCommands, manifestFile } from "./folder-commands.ts";
export { DropHook, type Hook, type HookHandler, type Triggered, type TriggerOptions, triggerHook } from "./hooks/hook.ts";
export { createHookSubscriber, type HookSubscriber, type HookSubscriberOptions } from "./hooks/hook-subscriber.ts";
export { pushedHooks } from "./hooks/pushed-hooks.ts";
export { type PostedHook, PushSignatureError, verifyPush } from "./hooks/verify-push.ts";
export { HttpError } from "./http-error.ts";
export {
  type LoadedManifest,
  loadManifest,
  ManifestError,
  placeRefused,
  type RefusedField,
  readManifest,
  type SignedManifest,
  signManifest,
} from "./load-manifest.ts";
export { type LogLevel, logLine } from "./log-line.ts";
export type { AppEvent, UpgradeHandler } from "./open-streams.ts";
export { createPeople, type MessageToPerson, type People, type Person } from "./people.ts";
export {
  createPlatformClient,
  type PlatformClient,
  type PlatformClientOptions,
  registerApp,
  registrationHeaders,
} from "./platform-client.ts";
export {
  type AppAnswer,
  type AppCall,
  type AppCaller,
  type AppHandler,
  type RunningApp,
  type ServeAppOptions,
  serveApp,
  stopOnSignals,
} from "./serve-app.ts";
export { type SignRequestInput, signRequest } from "./sign-request.ts";
export { storagePath } from "./storage-path.ts";
export { ForwardSignatureError, forwardKey, type ReceivedRequest, verifyForwarded } from "./verify-forwarded.ts";
