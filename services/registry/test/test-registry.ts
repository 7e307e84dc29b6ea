import { createServer, type Server } from "node:http";
import {
  AppError,
  BufferBudget,
  type Caller,
  type Clock,
  credentialAllows,
  type RequestContext,
  silentLogger,
  subjectOf,
} from "@appserver/kernel";
import type { AuditRecord, Transaction } from "@appserver/kernel/ports";
import { createRegistry, type ImageLimits, type Registry } from "../src/index.ts";

export const limits: ImageLimits = { maxLayerBytes: 1_000_000, maxAppBytes: 2_500_000, maxTotalBytes: 4_000_000 };
export const keepUnusedMs: number = 24 * 3_600_000;
export const encryptionKey: Buffer = Buffer.alloc(32, 7);

const run = { provider: "github", repository: "acme/notes", commit: "c0ffee" } as const;

/** By their tokens. `dora` may register apps, and so may the service account `ci`, by all of its token. */
const callers: Readonly<Record<string, Caller>> = {
  dora: { kind: "user", id: "dora", displayName: "Dora" },
  viewer: { kind: "user", id: "viewer", displayName: "Viewer" },
  ci: { kind: "machine", id: "m1", name: "ci", tokenId: "t1" },
  narrow: { kind: "machine", id: "m2", name: "narrow", tokenId: "t2", scopes: [{ appName: "com.example.other" }] },
  pipeline: {
    kind: "machine",
    id: "m1",
    name: "ci",
    tokenId: "t3",
    pipeline: { trustId: "trust", apps: ["com.example.other"], run },
  },
  app: { kind: "app", name: "com.example.notes", id: "a1" },
};
const registering: ReadonlySet<string | undefined> = new Set(["user:dora", "machine:m1"]);

function allowed(caller: Caller, permission: string): boolean {
  return permission === "app:register" && registering.has(subjectOf(caller)) && credentialAllows(caller, permission);
}

export interface TestRegistryParts {
  readonly folder: string;
  readonly clock: Clock;
  /** Called for each wrong password. Returns whether the client may try again. */
  readonly countAttempt?: () => boolean;
  readonly record?: (entry: AuditRecord) => void;
  readonly retained?: () => ReadonlySet<string>;
}

export function createTestRegistry({
  folder,
  clock,
  countAttempt = () => true,
  record = () => {},
  retained = () => new Set(),
}: TestRegistryParts): Registry {
  return createRegistry({
    folder,
    limits,
    keepUnusedMs,
    imageKind: "images",
    authenticator: {
      authenticate: ({ header }) => {
        const known = callers[header("authorization")?.slice("Bearer ".length) ?? ""];
        if (!known) throw new AppError("AUTHENTICATION_FAILED", "no such session");
        return known;
      },
    },
    permissions: { allowed: allowed },
    cache: { slidingWindow: () => ({ allowed: countAttempt(), window: 0, remaining: 1, resetMs: 1_500 }) },
    audit: { record: async (_tx, entry) => record(entry) },
    database: { transaction: (work) => work({} as Transaction) },
    keys: { load: async () => [{ key: Buffer.alloc(32, 1) }, { key: encryptionKey }] },
    retainedImages: async () => retained(),
    budget: new BufferBudget({ totalBytes: 10_000_000 }),
    clock,
    logger: silentLogger,
  });
}

/** Returns a server of Node for the registry, which does not listen yet. */
export function serverOf({ http }: Registry, onFailure: (error: unknown) => void): Server {
  const context: RequestContext = { requestId: "r1", remoteAddress: "192.0.2.1", traceparent: "00-0-0-0" };
  return createServer((request, response) => {
    http.handle(request, response, context).catch((error: unknown) => {
      onFailure(error);
      response.destroy();
    });
  });
}
