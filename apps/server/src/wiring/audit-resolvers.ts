import { scopeObject } from "@appserver/contracts/authorization";
import type { AuditEntry as GraphqlEntry } from "@appserver/contracts/graphql/types";
import {
  type AuditPage,
  type AuditPageRequest,
  AuthorizedPermissions,
  auditCursorOf,
  type Call,
  connectionOf,
  readAuditLog,
} from "@appserver/kernel";
import type { AuditEntry, AuditLog, Authorization } from "@appserver/kernel/ports";

/** Resolves the query `auditLog`, newest first. */
export function auditResolvers(audit: Pick<AuditLog, "read" | "count">, authorization: Pick<Authorization, "check">) {
  const context = { audit, permissions: new AuthorizedPermissions(authorization, scopeObject) };
  return {
    AuditConnection: {
      /** Computed only if the query selects it. */
      totalCount: ({ count }: { readonly count: AuditPage["totalCount"] }) => count(),
    },
    Query: {
      auditLog: async (_: unknown, args: AuditPageRequest, call: Call) => {
        const page = await readAuditLog(context, args, call);
        return { ...connectionOf(page, args.after, { cursor: auditCursorOf, node }), count: page.totalCount };
      },
    },
  };
}

function node({ details, traceId, at, ...entry }: AuditEntry): GraphqlEntry {
  return { ...entry, at: at.toISOString(), details: details ?? null, traceId: traceId ?? null };
}
