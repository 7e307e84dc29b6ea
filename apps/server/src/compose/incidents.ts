import { X509Certificate } from "node:crypto";
import { readFile, statfs } from "node:fs/promises";
import type { Hooks } from "@appserver/hooks";
import type { MeasuredCertificate, MeasuredSpace, Observed, WatchedApp } from "@appserver/incidents";
import type { Database } from "@appserver/kernel/ports";
import type { LiveApp, LiveApps } from "@appserver/marketplace";
import { readDatabaseSizes } from "@appserver/orchestration";

/** What of this machine is watched. */
export interface WatchedMachine {
  /** Folders of the platform's own, whose disks can be full. */
  readonly folders: readonly string[];
  /** The certificate of the public address, if this server ends TLS. */
  readonly certificate: { readonly name: string; readonly file: string } | undefined;
}

interface Parts {
  readonly apps: LiveApps;
  readonly hooks: Hooks;
  readonly database: Database;
}

/** Returns what incidents are found in. */
export function observedBy({ apps, hooks, database }: Parts, { folders, certificate }: WatchedMachine): Observed {
  return {
    apps: () => apps.all().map(watchedApp),
    certificates: async () => (certificate ? [await readCertificate(certificate)] : []),
    disks: () => Promise.all(folders.map(measureDisk)),
    databases: async () =>
      (await readDatabaseSizes(database)).map(({ appId: id, appName: name, usedBytes, limitBytes }) => {
        const version = apps.byId(id)?.app.version ?? "0";
        return { name, usedBytes, limitBytes, app: { id, name, version } };
      }),
    deadLetters: async () =>
      (await hooks.deadLetterHolders()).map(({ name, targetId }) => ({ name, isApp: targetId === undefined })),
  };
}

function watchedApp({ app }: LiveApp): WatchedApp {
  const { id, name, version, state, enabled: isEnabled, lastError } = app;
  return { id, name, version, state, isEnabled, problem: lastError?.message };
}

/** Read at each look: the file is replaced when it is renewed. */
async function readCertificate({ name, file }: NonNullable<WatchedMachine["certificate"]>): Promise<MeasuredCertificate> {
  return { name, endsAt: new X509Certificate(await readFile(file)).validToDate };
}

/** As `df` counts: blocks that only root may use are not part of it. */
async function measureDisk(folder: string): Promise<MeasuredSpace> {
  const { blocks, bfree, bavail, bsize } = await statfs(folder);
  const used = blocks - bfree;
  return { name: folder, usedBytes: used * bsize, limitBytes: (used + bavail) * bsize };
}
