import type { AppSnapshot } from "@appserver/contracts/deployments";
import { canonicalManifest, manifestDigest } from "@appserver/contracts/manifest";
import { isAppName, nameGrammar } from "@appserver/contracts/names";
import { quote } from "@appserver/contracts/patterns";
import {
  AppError,
  auditEntry,
  type Call,
  callOn,
  initiatorOf,
  invalidField,
  outsideKeyedWork,
  requirePermission,
} from "@appserver/kernel";
import { type AppRecord, imageOwnerOf } from "../../domain/app.ts";
import { cloneManifest } from "../../domain/clone-manifest.ts";
import { placementOf } from "../../domain/placement.ts";
import { compareVersions } from "../../domain/version-constraint.ts";
import type { MarketplaceContext } from "../context.ts";
import { earlierResult } from "../earlier-result.ts";
import { requireApp } from "../find-app.ts";
import { type CommandResult, endedOperation, newOperation } from "../operation.ts";
import { createApp } from "../store-registration.ts";
import { validateManifest } from "../validate-manifest.ts";
import { requireSnapshot } from "./find-snapshot.ts";
import { dataOf } from "./snapshot-commands.ts";
import { startRequest } from "./start-request.ts";

export interface CloneRequest {
  readonly name: string;
  /** Id of a snapshot of it. */
  readonly snapshot: string;
  /** Name of the clone. */
  readonly as: string;
}

/**
 * Registers a copy of an app under another name and with a key of its own, and requests that it gets the data of a snapshot
 * (docs/interface/snapshots.md#clone). Nothing of it runs before it is installed. The operation ends when the data is there. The same
 * request continues one that was interrupted.
 *
 * Throws PERMISSION_DENIED without `app:backup` on the app and `app:register` on the clone, and if apps need a certificate of an
 * authority; NOT_FOUND; INVALID_STATE for a snapshot that is not complete or whose release is forgotten, and for an API outside of the platform; INVALID_REQUEST for the name or for paths that another app has;
 * CONFLICT if another app has the name.
 */
export async function cloneApp(context: MarketplaceContext, request: CloneRequest, call: Call): Promise<CommandResult> {
  const { name, as } = request;
  const callOnClone = callOn(call, as);
  await requirePermission(context.permissions, call, "app:backup");
  if (!isAppName(as)) throw invalidField("as", `must be an app name (${nameGrammar}), got ${quote(as)}`);
  await requirePermission(context.permissions, callOnClone, "app:register");
  requireOwnCertificates(context);
  const earlier = await earlierResult(context, as);
  if (earlier) return earlier;
  return context.lock.run(as, async () => {
    const { app: original } = await requireApp(context, name);
    const snapshot = await requireSnapshot(context, original, request.snapshot);
    if (snapshot.state !== "COMPLETED")
      throw new AppError("INVALID_STATE", `the snapshot ${snapshot.id} is not complete`, { details: { app: name } });
    const source = { original, snapshot, as };
    // The receipt of the call is the restore: a repeated call must not take a finished registration for it.
    const app = (await begunClone(context, source)) ?? (await outsideKeyedWork(() => register(context, source, callOnClone)));
    const by = initiatorOf(call.caller);
    const operation = newOperation(context, app, { kind: "restore_snapshot", ...by, stage: "restore" });
    const details = { from: name, snapshot: snapshot.id };
    await context.store.addOperation(app, operation, auditEntry(call, { action: "app.clone", target: `app:${as}`, details }));
    await startRequest(context, operation, async () => {
      await context.snapshots.restore({ id: operation.id, snapshotId: snapshot.id, app: dataOf(app), actor: by.actor });
    });
    return { app, operation };
  });
}

function requireOwnCertificates({ policy }: MarketplaceContext): void {
  if (policy.registration !== "ca") return;
  const message = "with registration: ca every app needs a certificate of your authority, and a clone has none";
  throw new AppError("PERMISSION_DENIED", message);
}

/** Returns the clone of the same request that was interrupted. Throws CONFLICT for every other app. */
async function begunClone(
  { store }: MarketplaceContext,
  { original, snapshot, as }: CloneSource,
): Promise<AppRecord | undefined> {
  const existing = await store.findByName(as);
  if (!existing) return undefined;
  const { appId, snapshotId } = existing.clonedFrom ?? {};
  if (existing.state === "REGISTERED" && appId === original.id && snapshotId === snapshot.id) return existing;
  throw new AppError("CONFLICT", `another app is registered under the name ${quote(as)}`, { details: { app: as } });
}

interface CloneSource {
  readonly original: AppRecord;
  readonly snapshot: AppSnapshot;
  readonly as: string;
}

async function register(context: MarketplaceContext, { original, snapshot, as }: CloneSource, call: Call): Promise<AppRecord> {
  const key = await context.makeKey(as, context.clock.now());
  const { manifest: source, imageDigest, imageOwner } = await releaseOf(context, original, snapshot);
  const manifest = cloneManifest(source, as, imageDigest);
  manifest.certificate = key.certificate;
  for (const asset of manifest.webApp?.assets ?? []) asset.signature = key.sign(asset.contents);
  const { violations, certificate } = await validateManifest(context, manifest);
  if (violations.length > 0 || !certificate) {
    const message = `${original.name} cannot be cloned as ${as}: ${violations[0]?.field} ${violations[0]?.message}`;
    throw new AppError("INVALID_REQUEST", message, { violations });
  }
  const digest = manifestDigest(manifest);
  return createApp(
    context,
    {
      manifest,
      signature: key.sign(canonicalManifest(manifest)),
      certificate,
      release: { version: manifest.version, revision: 1, manifestDigest: digest },
      operation: endedOperation(context, manifest, { kind: "register", ...initiatorOf(call.caller) }),
      clonedFrom: { appId: original.id, snapshotId: snapshot.id, imageOwner, manifestDigest: digest, imageDigest },
    },
    call,
  );
}

/** Returns the release that the data is of, or the current one if that is no longer stored, with the contents of its assets. */
async function releaseOf(
  { store }: MarketplaceContext,
  original: AppRecord,
  { manifestDigest: wanted, appVersion }: AppSnapshot,
) {
  const releases = await store.releases(original.id);
  const release =
    releases.find((each) => each.manifestDigest === wanted) ??
    releases.find((each) => each.manifestDigest === original.manifestDigest);
  const digest = release?.manifestDigest ?? "";
  const manifest = await store.manifest(original.id, digest);
  const imageDigest = manifest?.imageDigest ?? release?.imageDigest;
  if (!manifest || imageDigest === undefined)
    throw new AppError("INVALID_STATE", `no image of ${original.name} is known: no version of it has run`, {
      details: { app: original.name },
    });
  if (compareVersions(appVersion, manifest.version) > 0)
    throw new AppError("INVALID_STATE", `the snapshot is of version ${appVersion}, whose release is no longer stored`, {
      details: { app: original.name, version: manifest.version, snapshotVersion: appVersion },
    });
  if (placementOf(manifest).api === "external")
    throw new AppError("INVALID_STATE", `the API of ${original.name} runs outside of the platform: a clone would call it`, {
      details: { app: original.name },
    });
  for (const asset of manifest.webApp?.assets ?? [])
    asset.contents = await contentsOf(store.assetContents(original.id, digest, asset.name));
  return { manifest, imageDigest, imageOwner: imageOwnerOf(original, digest) };
}

async function contentsOf(parts: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const part of parts) chunks.push(part);
  return new Uint8Array(Buffer.concat(chunks));
}
