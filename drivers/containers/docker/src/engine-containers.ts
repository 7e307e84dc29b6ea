import { setTimeout as sleep } from "node:timers/promises";
import { ContainerError, type ContainerView, ownerOf } from "@appserver/kernel/ports";
import { containerError, startError } from "./container-error.ts";
import type { InspectedContainer } from "./container-view.ts";
import { type EngineClient, EngineError } from "./engine-client.ts";

/** Waits for what the engine does in the background, such as freeing a name. */
export async function beforeNextLook(): Promise<void> {
  await sleep(100);
}

/** Returns a container by name or id; undefined if there is none. */
export async function inspectContainer(engine: EngineClient, name: string): Promise<InspectedContainer | undefined> {
  try {
    const { status, body } = await engine.request("GET", `${pathOf(name)}/json`, { accept: [404] });
    return status === 404 ? undefined : (body as InspectedContainer);
  } catch (error) {
    throw containerError(name, error);
  }
}

/** Starts one container, unless it runs. */
export async function startContainer(engine: EngineClient, name: string): Promise<void> {
  try {
    await engine.request("POST", `${pathOf(name)}/start`, { timeoutMs: 120_000 });
  } catch (error) {
    if (error instanceof EngineError && error.status === 404 && !(await inspectContainer(engine, name)))
      throw notFound(name, error);
    throw error instanceof EngineError ? startError(name, error) : error;
  }
}

/** Stops one container, unless it does not run or does not exist. */
export async function stopContainer(engine: EngineClient, name: string, graceMs: number): Promise<void> {
  const seconds = Math.ceil(graceMs / 1_000);
  try {
    await engine.request("POST", `${pathOf(name)}/stop`, {
      query: { t: `${seconds}` },
      accept: [404],
      timeoutMs: (seconds + 60) * 1_000,
    });
  } catch (error) {
    throw containerError(name, error);
  }
}

/** Removes one container, unless it does not exist. */
export async function removeContainer(engine: EngineClient, name: string): Promise<void> {
  try {
    // 409: another replica of the orchestrator is removing it.
    const query = { force: "true", v: "true" };
    await engine.request("DELETE", pathOf(name), { query, accept: [404, 409], timeoutMs: 120_000 });
  } catch (error) {
    throw containerError(name, error);
  }
  for (let attempt = 0; attempt < 50 && (await inspectContainer(engine, name)) !== undefined; attempt += 1)
    await beforeNextLook();
}

/** Whether the name may be in use: Docker returns 409, Podman 500. */
export function isPerhapsNameConflict(error: unknown): error is EngineError {
  return error instanceof EngineError && (error.status === 409 || error.status === 500);
}

export function nameConflict({ name, labels }: Pick<ContainerView, "name" | "labels">, cause: unknown): ContainerError {
  return new ContainerError("name_conflict", `the container name ${name} is in use by ${ownerOf(labels)}`, { cause });
}

export function notFound(name: string, cause?: unknown): ContainerError {
  return new ContainerError("not_found", `no container ${name}`, { cause });
}

function pathOf(name: string): string {
  return `/containers/${encodeURIComponent(name)}`;
}
