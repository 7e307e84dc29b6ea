import type { Operations } from "./operation.ts";

/** An operation as a tool of language models (docs/interface/mcp.md#tools). Its name, arguments, permission and result are those of its route of REST. */
export interface PlatformTool {
  /** What it is for, for a model. */
  readonly about: string;
  /** `destroy`: what it changes cannot be had back. */
  readonly effect: "read" | "change" | "destroy";
  /** The operation that plans it, whose digest the change takes as `planDigest`. */
  readonly plan?: "installPlan" | "upgradePlan";
  /** Whether its use case leaves no entry in the audit log. Then its calls do. Default false. */
  readonly isUnaudited?: boolean;
  /** Whether it is in the list. The others are found by the tool `search_tools`. Default false. */
  readonly isListed?: boolean;
}

const read = (about: string): PlatformTool => ({ about, effect: "read" });
const change = (about: string): PlatformTool => ({ about, effect: "change" });
const destroy = (about: string): PlatformTool => ({ about, effect: "destroy" });
const listed = (tool: PlatformTool): PlatformTool => ({ ...tool, isListed: true });

/** The operations that are tools. No other one is: those whose result has a secret, those of apps, and what only a page needs. */
export const platformTools: Readonly<Record<string, PlatformTool>> = {
  viewer: listed(read("Says who you act for and what that person may do. Call it first.")),
  apps: listed(read("Lists the apps of the platform with their states and versions.")),
  app: listed(read("Reads one app: state, versions, deployment, settings schema, permissions, hooks and activities.")),
  appLogs: listed(read("Reads the last lines that an app has printed. Lines are written by the app.")),
  requests: listed(read("Lists requests of the last hour, newest first, to find slow or failed ones.")),
  trace: listed(
    read("Finds one request, by its request id or trace id, with all that it caused: calls, hooks, runs, log lines."),
  ),
  metrics: listed(read("Reads counts, errors, latencies, memory and processor time of an app or the platform.")),
  incidents: listed(read("Lists what is wrong now and what was wrong before.")),
  systemEvents: listed(read("Lists what has happened on the platform within 30 days, newest first.")),
  operation: listed(read("Reads the progress of an operation that a tool has started.")),
  settings: listed(read("Reads the settings of an app. Values of secrets are never shown.")),
  updateSettings: listed(change("Changes settings of an app. Settings that are not given stay.")),
  installApp: listed({ ...change("Installs an app, with the apps that it needs."), plan: "installPlan" }),
  upgradeApp: listed({ ...change("Switches an app to a newer version."), plan: "upgradePlan" }),
  rollbackApp: listed({ ...change("Switches an app back to an earlier version."), plan: "upgradePlan" }),
  restartApp: listed(change("Restarts an app. Its requests fail for a moment.")),
  activityRuns: listed(read("Lists runs of background activities with their states.")),
  triggerActivity: listed(change("Starts a run of a background activity.")),
  grants: read("Lists who was given which role, level of an app or permission."),

  health: read("Reads whether the platform and what it needs are up."),
  platform: read("Reads the version and the options of the platform."),
  gallery: read("Lists the example apps that the platform brings."),
  tryApp: change("Registers and installs an example app that the platform brings."),
  installPlan: read("Plans an installation: dependencies, permissions, differences."),
  upgradePlan: read("Plans an upgrade or a rollback: differences between two versions."),
  uninstallApp: change("Uninstalls an app. With purgeData its data is deleted, which cannot be undone."),
  redeployApp: change("Deploys the version of an app that serves again."),
  setAppEnabled: change("Enables or disables an app."),
  deleteApp: destroy("Deletes the registration of an app with its name, key and data."),
  deleteStorage: destroy("Deletes one storage of an app that does not run."),
  approvals: read("Lists the permissions that an app requests, and which of them are approved."),
  approvePermissions: change("Approves permissions that an app requests."),
  revokePermissions: change("Withdraws approved permissions of an app."),
  settingValue: read("Reads one setting of an app."),
  validateSettings: read("Checks settings against the app's schema, without storing them."),
  deleteSettings: destroy("Deletes the settings of an app, so that defaults hold."),
  appSnapshots: read("Lists the snapshots of the data of an app."),
  createAppSnapshot: change("Takes a snapshot of the data of an app."),
  restoreAppSnapshot: change("Replaces the data of an app by that of a snapshot, after a snapshot of what is there."),
  cloneApp: change("Registers a copy of an app with the data of a snapshot."),
  deleteAppSnapshot: destroy("Deletes a snapshot of the data of an app."),
  triggerHook: change("Sends an event of a hook to the apps that subscribed to it."),
  recoverHookDeliveries: change("Sends the undelivered events of a time range again."),
  hookEvents: read("Lists events of hooks."),
  hookEvent: read("Reads an event of a hook. Its data is written by an app."),
  hookDeliveries: read("Lists deliveries of hook events with their states."),
  resendHookDelivery: change("Sends a delivery of a hook event again."),
  notificationTargets: read("Lists the receivers of messages about events: webhooks, mail, chat."),
  updateNotificationTarget: change("Changes, enables or disables a receiver of messages about events."),
  deleteNotificationTarget: destroy("Deletes a receiver of messages about events."),
  testNotificationTarget: { ...change("Sends one message to a receiver."), isUnaudited: true },
  notificationDeliveries: read("Lists messages to a receiver with their states."),
  resendNotificationDelivery: change("Sends a message to a receiver again."),
  backups: read("Lists backups of the platform, newest first."),
  backupSummary: read("Reads when backups are made and which one was last."),
  startBackup: change("Requests a backup of the platform."),
  activities: read("Lists the background activities that apps declare, with the schemas of their inputs."),
  activityRun: read("Reads one run with input, output, progress and errors."),
  cancelActivityRun: change("Cancels a run."),
  retryActivityRun: change("Starts a new run with the input of one that has ended."),
  activitySchedules: read("Lists schedules of activities."),
  scheduleActivity: change("Sets a schedule of an activity."),
  setScheduleEnabled: change("Pauses or resumes a schedule."),
  deleteSchedule: destroy("Deletes a schedule."),
  runScheduleNow: change("Starts a run of a schedule now."),
  permissionHolders: read("Lists who holds a permission, and why."),
  heldPermissions: read("Lists what a person, an app or a service account holds, and why."),
  accessRequests: read("Lists what people have asked for, newest first."),
  requestAccess: change("Asks administrators for a level or a permission of an app."),
  decideAccessRequest: change("Gives what a person has asked for, or declines it."),
  roles: read("Lists the roles of the platform."),
  groups: read("Lists the groups of the company login."),
  appMembers: read("Lists the owners, editors and viewers of an app."),
  people: read("Lists people, or searches them."),
  subjects: read("Reads the names of people, apps and service accounts by their ids."),
  personAccount: read("Reads the account of a person."),
  setPersonActive: change("Disables or enables the account of a person."),
  removePerson: destroy("Deletes the account of a person and all that the person was given."),
  grantAccess: change("Gives a role, a level of an app or a permission."),
  revokeAccess: change("Takes a role, a level of an app or a permission."),
  serviceAccounts: read("Lists service accounts with the names of their tokens."),
  revokeServiceAccountToken: destroy("Ends a token of a service account."),
  deleteServiceAccount: destroy("Deletes a service account with its tokens."),
  trustedPipelines: read("Lists the pipelines that may act as service accounts."),
  distrustPipeline: change("Ends the trust in a pipeline."),
  appMessages: read("Lists the messages of apps to the person you act for."),
  markMessagesRead: { ...change("Marks messages of apps as read."), isUnaudited: true },
  systemEventById: read("Reads one event of the platform."),
  auditLog: read("Lists who has changed what on the platform."),
};

/**
 * The tools that an agent of some apps may call without one of these, each with the reason. All others without an app are refused, because
 * their results have what other apps or people have written, or hold.
 */
export const toolsWithoutApp: Readonly<Record<string, string>> = {
  viewer: "its pages and unread messages are those of the agent's apps, and its permissions those that hold on them",
  apps: "the agent sees which apps there are, with states and versions",
  gallery: "the platform has written it",
  health: "the platform has written it, and it is public",
  operation: "it is refused for operations of other apps",
};

/** The operations that have a route of REST and are no tools, each with the reason. */
export const noTools: Readonly<Record<string, string>> = {
  createNotificationTarget: "its result has a secret",
  createServiceAccount: "its result has a token",
  createServiceAccountToken: "its result has a token",
  invitePerson: "its result may have a link that signs in",
  personRecords: "all that is stored of a person is for the person, who gets it from an administrator",
  agentConsents: "people look at what they have given to agents",
  revokeAgentConsent: "people take what they have given to agents",
  trustPipeline: "it lets others act without a person",
  replaceKey: "the certificate of a publisher is a decision of people",
  finishActivityRun: "for apps",
  reportActivityProgress: "for apps",
  asset: "only pages need it",
  frontendFeed: "only pages need it",
  frontendPage: "only pages need it",
  closedApps: "only pages need it",
  recordPage: "only pages need it",
  docs: "a page for people",
  openApi: "a description for programs",
};

/** Returns the operations that are neither tools nor said to be none, the tools that no route has, and those without an app that read nothing. */
export function unknownTools(operations: Operations): readonly string[] {
  const routed = Object.entries(operations).flatMap(([name, { rest }]) => (rest === undefined ? [] : name));
  return [
    ...routed.filter((name) => name in platformTools === name in noTools),
    ...Object.keys(platformTools).filter((name) => !routed.includes(name)),
    ...Object.keys(toolsWithoutApp).filter((name) => platformTools[name]?.effect !== "read"),
  ];
}
