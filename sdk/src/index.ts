export { ActivityError, type ActivityHandler, type ActivityOptions, type ActivityRun } from "./activities/activity.ts";
export { type ActivityWorker, type ActivityWorkerOptions, createActivityWorker } from "./activities/activity-worker.ts";
export { type AppClient, type AppClientOptions, type AppRequest, createAppClient } from "./app-client.ts";
export { type AppEnvironment, appEnvironment } from "./app-environment.ts";
export { type AppKeys, certificateFile, ensureAppKeys, keyFile, readAppKeys } from "./app-keys.ts";
export { loadManifest, ManifestError, manifestFile, type SignedManifest } from "./load-manifest.ts";
export { createPlatformClient, type PlatformClient, type PlatformClientOptions, registerApp } from "./platform-client.ts";
export {
  type AppAnswer,
  type AppCall,
  type AppCaller,
  type AppHandler,
  HttpError,
  type RunningApp,
  type ServeAppOptions,
  serveApp,
  stopOnSignals,
} from "./serve-app.ts";
export { type SignRequestInput, signRequest } from "./sign-request.ts";
