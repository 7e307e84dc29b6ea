/** The verbs of the platform, each under one name on every transport that has it. */
export interface PlatformOperation {
  /** The permission that callers without another right need, or why none is needed. */
  readonly permission: string | { readonly none: string };
  readonly graphql?: "query" | "mutation" | "subscription";
  /** `<service>.<method>` of `appserver.v2` */
  readonly grpc?: string;
  /** Whether it is a route of REST v2, with the name as its `operationId`. */
  readonly rest?: true;
  /** Why a transport does not have it. */
  readonly absent?: string;
}

const query = { graphql: "query", rest: true } as const;
const mutation = { graphql: "mutation", rest: true } as const;
const overGrpc = "apps and operators have it over gRPC; GraphQL and REST show the same in other fields";
const stream = "a stream: REST has the events of /api/v2/events";
const ofManifest = "the manifest's signature and the registration mode decide";
const byOperators = "people manage access in a browser, operators with `appserver authz`";
const ofApps = "only for apps, which use gRPC";

/** Every operation by its name in GraphQL, or in lower camel case over gRPC. */
export const platformOperations: Readonly<Record<string, PlatformOperation>> = {
  registerApp: { permission: { none: ofManifest }, grpc: "MarketplaceService.RegisterApp", absent: overGrpc },
  registerAppStream: { permission: { none: ofManifest }, grpc: "MarketplaceService.RegisterAppStream", absent: overGrpc },
  validateManifest: { permission: { none: "it reads nothing" }, grpc: "MarketplaceService.ValidateManifest", absent: overGrpc },
  apps: { ...query, permission: "app:view", grpc: "MarketplaceService.ListApps" },
  app: { ...query, permission: "app:view", grpc: "MarketplaceService.GetApp" },
  asset: { ...query, permission: "app:view", absent: "GetApp has the assets over gRPC" },
  installPlan: { ...query, permission: "app:view", grpc: "MarketplaceService.PlanInstall" },
  upgradePlan: { ...query, permission: "app:view", grpc: "MarketplaceService.PlanUpgrade" },
  operation: { ...query, permission: "app:view", grpc: "MarketplaceService.GetOperation" },
  listVersions: { permission: "app:view", grpc: "MarketplaceService.ListVersions", absent: "fields of App" },
  installApp: { ...mutation, permission: "app:install", grpc: "MarketplaceService.InstallApp" },
  upgradeApp: { ...mutation, permission: "app:install", grpc: "MarketplaceService.UpgradeApp" },
  rollbackApp: { ...mutation, permission: "app:install", grpc: "MarketplaceService.RollbackApp" },
  redeployApp: { ...mutation, permission: "app:install", grpc: "MarketplaceService.RedeployApp" },
  restartApp: { ...mutation, permission: "app:install", grpc: "MarketplaceService.RestartApp" },
  setAppEnabled: { ...mutation, permission: "app:install", grpc: "MarketplaceService.SetAppEnabled" },
  uninstallApp: { ...mutation, permission: "app:uninstall", grpc: "MarketplaceService.UninstallApp" },
  deleteApp: { ...mutation, permission: "app:delete", grpc: "MarketplaceService.DeleteApp" },
  deleteStorage: { ...mutation, permission: "app:delete", grpc: "MarketplaceService.DeleteStorage" },
  replaceKey: { ...mutation, permission: "app:register", grpc: "MarketplaceService.ReplaceKey" },
  approvals: { permission: "app:view", rest: true, absent: "`requiredPermissions` of App" },
  approvePermissions: { ...mutation, permission: "permission:approve", grpc: "MarketplaceService.ApprovePermissions" },
  revokePermissions: { ...mutation, permission: "permission:approve", grpc: "MarketplaceService.RevokePermissions" },
  appStateChanged: { graphql: "subscription", permission: "app:view", grpc: "MarketplaceService.WatchApps", absent: stream },
  operationProgress: {
    graphql: "subscription",
    permission: "app:view",
    grpc: "MarketplaceService.WatchOperation",
    absent: stream,
  },
  appLogs: { ...query, permission: "app:logs", absent: "TailLogs without `follow`" },
  appLog: { graphql: "subscription", permission: "app:logs", grpc: "MarketplaceService.TailLogs", absent: stream },
  settings: { ...query, permission: "settings:read", grpc: "SettingsService.GetSettings" },
  settingValue: { ...query, permission: "settings:read", grpc: "SettingsService.GetSetting" },
  validateSettings: { permission: "settings:read", rest: true, absent: "UpdateSettings refuses what is wrong" },
  updateSettings: { ...mutation, permission: "settings:write", grpc: "SettingsService.UpdateSettings" },
  deleteSettings: { ...mutation, permission: "settings:write", grpc: "SettingsService.DeleteSettings" },
  watchSettings: { permission: "settings:read", grpc: "SettingsService.WatchSettings", absent: ofApps },
  triggerHook: { ...mutation, permission: "hook:trigger", grpc: "HooksService.TriggerHook" },
  hookTriggered: { graphql: "subscription", permission: "hook:view", absent: stream },
  subscribe: { permission: { none: "an app receives its own hooks" }, grpc: "HooksService.Subscribe", absent: ofApps },
  hookDeliveries: { ...query, permission: "hook:view", grpc: "HooksService.ListDeliveries" },
  hookEvents: { ...query, permission: "hook:view", grpc: "HooksService.ListEvents" },
  hookEvent: { ...query, permission: "hook:view", grpc: "HooksService.GetEvent" },
  resendHookDelivery: { ...mutation, permission: "hook:trigger", grpc: "HooksService.ResendDelivery" },
  recoverHookDeliveries: { ...mutation, permission: "hook:trigger", grpc: "HooksService.RecoverDeliveries" },
  getPushSecret: { permission: { none: "an app reads its own secret" }, grpc: "HooksService.GetPushSecret", absent: ofApps },
  registerActivities: {
    permission: { none: "an app registers its own activities" },
    grpc: "ActivityService.RegisterActivities",
    absent: ofApps,
  },
  scheduleActivity: { permission: "activity:trigger", grpc: "ActivityService.ScheduleActivity", absent: ofApps },
  setScheduleEnabled: { ...mutation, permission: "activity:trigger", grpc: "ActivityService.SetScheduleEnabled" },
  runScheduleNow: { ...mutation, permission: "activity:trigger", grpc: "ActivityService.RunScheduleNow" },
  work: { permission: { none: "an app does its own runs" }, grpc: "ActivityService.Work", absent: ofApps },
  triggerActivity: { ...mutation, permission: "activity:trigger", grpc: "ActivityService.TriggerActivity" },
  cancelActivityRun: { ...mutation, permission: "activity:cancel", grpc: "ActivityService.CancelRun" },
  retryActivityRun: { ...mutation, permission: "activity:trigger", grpc: "ActivityService.RetryRun" },
  activityRun: { ...query, permission: "activity:view", grpc: "ActivityService.GetRun" },
  activityRuns: { ...query, permission: "activity:view", grpc: "ActivityService.ListRuns" },
  activityProgress: { graphql: "subscription", permission: "activity:view", grpc: "ActivityService.WatchRun", absent: stream },
  activitySchedules: { ...query, permission: "activity:view", absent: "ListActivities has the schedules over gRPC" },
  activities: { ...query, permission: "activity:view", grpc: "ActivityService.ListActivities" },
  systemEvents: { ...query, permission: "event:view", absent: "apps watch what concerns them" },
  systemEventById: { ...query, permission: "event:view", absent: "apps watch what concerns them" },
  systemEvent: { graphql: "subscription", permission: "event:view", absent: "REST streams `systemEvents`" },
  metrics: { ...query, permission: "metrics:view", absent: "programs read /metrics in Prometheus' format" },
  platform: { ...query, permission: "platform:view", absent: "operators have `appserver config print`" },
  permissionHolders: { ...query, permission: "access:view", absent: byOperators },
  heldPermissions: { ...query, permission: "access:view", absent: byOperators },
  roles: { ...query, permission: "access:view", absent: byOperators },
  appMembers: { ...query, permission: "access:view", absent: byOperators },
  people: { ...query, permission: "access:view", absent: byOperators },
  grantAccess: { ...mutation, permission: "access:manage", absent: byOperators },
  revokeAccess: { ...mutation, permission: "access:manage", absent: byOperators },
  auditLog: { ...query, permission: "audit:view", absent: "people read it" },
  viewer: { ...query, permission: { none: "every caller may ask who it is" }, absent: "apps and operators know who they are" },
  frontendFeed: { ...query, permission: { none: "each caller sees its own pages" }, absent: "browsers load pages" },
  frontendPage: { ...query, permission: { none: "each caller sees its own pages" }, absent: "browsers load pages" },
  health: { ...query, permission: { none: "probes read it" }, absent: "grpc.health.v1 has it" },
  docs: { permission: { none: "it describes REST" }, rest: true, absent: "a page for people" },
  openApi: { permission: { none: "it describes REST" }, rest: true, absent: "GraphQL and gRPC describe themselves" },
};
