import type { Repair } from "../repair-context.ts";
import { awaitHealth } from "./await-health.ts";
import { awaitPause } from "./await-pause.ts";
import { awaitSnapshot } from "./await-snapshot.ts";
import { beginDeployment } from "./begin-deployment.ts";
import { correctReplicas } from "./correct-replicas.ts";
import { createContainer } from "./create-container.ts";
import { dropOutdatedSnapshots } from "./drop-outdated-snapshots.ts";
import { fallAsleep } from "./fall-asleep.ts";
import { followMoved } from "./follow-moved.ts";
import { pauseCurrent } from "./pause-current.ts";
import { probeHealth } from "./probe-health.ts";
import { promoteNext } from "./promote-next.ts";
import { pullImage } from "./pull-image.ts";
import { recordConfiguration } from "./record-configuration.ts";
import { recordEnds } from "./record-ends.ts";
import { recordInstances } from "./record-instances.ts";
import { recreateOutdated } from "./recreate-outdated.ts";
import { removeData } from "./remove-data.ts";
import { removeNetwork } from "./remove-network.ts";
import { removeSnapshots } from "./remove-snapshots.ts";
import { removeUnwanted } from "./remove-unwanted.ts";
import { renameContainer } from "./rename-container.ts";
import { renewIdentity } from "./renew-identity.ts";
import { renewOutdated } from "./renew-outdated.ts";
import { replaceDied } from "./replace-died.ts";
import { replaceVanished } from "./replace-vanished.ts";
import { restartContainer } from "./restart-container.ts";
import { restoreForSwitch } from "./restore-for-switch.ts";
import { restoreSnapshot } from "./restore-snapshot.ts";
import { resumePaused } from "./resume-paused.ts";
import { retireReplaced } from "./retire-replaced.ts";
import { silenceFailed } from "./silence-failed.ts";
import { startContainer } from "./start-container.ts";
import { startStopped } from "./start-stopped.ts";
import { stopAsleep } from "./stop-asleep.ts";
import { stopUnapproved } from "./stop-unapproved.ts";
import { takeSnapshot } from "./take-snapshot.ts";
import { wakeAsleep } from "./wake-asleep.ts";

// Each list is sorted by priority: the first repair that applies acts, then the state is read again.

/** For a deployment that should run, from the pull to the health checks. */
const running: readonly Repair[] = [
  replaceVanished,
  renewIdentity,
  startContainer,
  startStopped,
  replaceDied,
  recordEnds,
  recreateOutdated,
  restartContainer,
  correctReplicas,
  awaitHealth,
  followMoved,
  recordInstances,
  probeHealth,
];

/** For the current deployment. */
export const currentRepairs: readonly Repair[] = [
  removeUnwanted,
  removeData,
  removeNetwork,
  dropOutdatedSnapshots,
  takeSnapshot,
  restoreSnapshot,
  resumePaused,
  stopUnapproved,
  silenceFailed,
  renewOutdated,
  beginDeployment,
  pullImage,
  createContainer,
  ...running,
  fallAsleep,
  stopAsleep,
  wakeAsleep,
  recordConfiguration,
  renameContainer,
  removeSnapshots,
];

/** For the current deployment while its data is copied or replaced. */
export const snapshotRepairs: readonly Repair[] = [takeSnapshot, restoreSnapshot];

/** For the current deployment while its successor takes over. */
export const switchingRepairs: readonly Repair[] = [promoteNext, pauseCurrent];

/** For the deployment of another release, while the current one runs. */
export const nextRepairs: readonly Repair[] = [
  removeUnwanted,
  stopUnapproved,
  silenceFailed,
  beginDeployment,
  awaitSnapshot,
  pullImage,
  awaitPause,
  restoreForSwitch,
  takeSnapshot,
  restoreSnapshot,
  createContainer,
  ...running,
];

/** For the deployment that was replaced. */
export const retiringRepairs: readonly Repair[] = [retireReplaced, removeUnwanted];
