import type { Repair } from "../repair-context.ts";
import { awaitHealth } from "./await-health.ts";
import { beginDeployment } from "./begin-deployment.ts";
import { createContainer } from "./create-container.ts";
import { followMoved } from "./follow-moved.ts";
import { probeHealth } from "./probe-health.ts";
import { pullImage } from "./pull-image.ts";
import { removeUnwanted } from "./remove-unwanted.ts";
import { replaceDied } from "./replace-died.ts";
import { replaceVanished } from "./replace-vanished.ts";
import { restartContainer } from "./restart-container.ts";
import { silenceFailed } from "./silence-failed.ts";
import { startContainer } from "./start-container.ts";
import { startStopped } from "./start-stopped.ts";

/** Sorted by priority: the first repair that applies acts, then the state is read again. */
export const repairs: readonly Repair[] = [
  removeUnwanted,
  silenceFailed,
  beginDeployment,
  pullImage,
  createContainer,
  replaceVanished,
  startStopped,
  startContainer,
  replaceDied,
  restartContainer,
  awaitHealth,
  followMoved,
  probeHealth,
];
