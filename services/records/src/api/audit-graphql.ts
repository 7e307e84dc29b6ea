import { objectOf } from "@appserver/contracts/graphql";
import type { AuditEntry as GraphqlEntry } from "@appserver/contracts/graphql/types";
import { type Call, connectionOf, type Permissions } from "@appserver/kernel";
import type { AuditEntry, AuditLog } from "../ports.ts";
import { type AuditPage, type AuditPageRequest, auditCursorOf, readAuditLog } from "../use-cases/read-audit-log.ts";

/** Resolves the query `auditLog`, newest first. */
export function auditResolvers(audit: Pick<AuditLog, "read" | "count">, permissions: Permissions) {
  const context = { audit, permissions };
  return {
    AuditConnection: {
      /** Computed only if the query selects it. */
      totalCount: ({ count }: { readonly count: AuditPage["totalCount"] }) => count(),
    },
    Query: {
      auditLog: async (_: unknown, args: AuditPageRequest, call: Call) => {
        const page = await readAuditLog(context, args, call);
        return { ...connectionOf(page, args.after, { cursor: auditCursorOf, node: presentEntry }), count: page.totalCount };
      },
    },
  };
}

/** Returns an entry as GraphQL shows it. */
export function presentEntry(entry: AuditEntry): GraphqlEntry {
  return objectOf(entry);
}
