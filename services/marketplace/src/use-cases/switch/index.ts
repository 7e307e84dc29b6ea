// A switch of an app to another release, step by step (docs/interface/states.md#switch). Without another container, `beginSwitch`
// commits at once.

/** 2. Stores the target, which the orchestrator starts. The current release serves. */
export { beginRedeployment } from "./begin-switch.ts";
/** 4. The target is healthy: it becomes the release that serves, in one transaction (`commit-switch.ts`). */
export { completeSwitch } from "./complete-switch.ts";
/** 5. Grants and services follow the release that serves, and the operation ends. Repeated until it has. */
export { finishSwitch } from "./finish-switch.ts";
/** 4. Or it did not become healthy, or was cancelled: the current release still serves. */
export { revertSwitch } from "./revert-switch.ts";
/** 1. A command plans the switch, requires that it is the reviewed one, and begins it under the app's lock, or cancels a running one. */
export { type SwitchInitiator, switchTo, type VersionRequest } from "./switch-to-release.ts";
/** 3. While no orchestrator has started it: since when this process sees it. */
export { UnstartedSwitches } from "./unstarted-switches.ts";
