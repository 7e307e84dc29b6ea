import { scopeObject } from "@appserver/contracts/authorization";
import type { AuditEntry as GraphqlEntry } from "@appserver/contracts/graphql/types";
import {
  AuthorizedPermissions,
  type Call,
  Cursors,
  connectionOf,
  invalidField,
  isUuid,
  pageOf,
  pageSize,
  requirePermission,
} from "@appserver/kernel";
import type { AuditEntry, AuditLog, AuditQuery, Authorization } from "@appserver/kernel/ports";

interface AuditArguments {
  readonly target?: string | null;
  readonly first?: number | null;
  readonly after?: string | null;
}

const cursors = new Cursors("audit", isUuid);

/** Resolves the query `auditLog`, newest first. Requires the permission `audit:view`. */
export function auditResolvers(audit: Pick<AuditLog, "read" | "count">, authorization: Pick<Authorization, "check">) {
  const permissions = new AuthorizedPermissions(authorization, scopeObject);
  return {
    AuditConnection: {
      /** Computed only if the query selects it. */
      totalCount: ({ filter }: { readonly filter: Pick<AuditQuery, "target"> }) => audit.count(filter),
    },
    Query: {
      auditLog: async (_: unknown, args: AuditArguments, { caller }: Pick<Call, "caller">) => {
        await requirePermission(permissions, caller, "audit:view");
        const filter = filterOf(args);
        const size = pageSize(args.first);
        const after = cursors.read(args.after);
        const found = await audit.read({ ...filter, ...(after === undefined ? {} : { after }), limit: size + 1 });
        return { ...connectionOf(pageOf(found, size), args.after, { cursor: ({ id }) => cursors.of(id), node }), filter };
      },
    },
  };
}

function filterOf({ target }: AuditArguments): Pick<AuditQuery, "target"> {
  if (target?.includes("\u0000")) throw invalidField("target", "must not hold NUL");
  return target == null ? {} : { target };
}

function node({ details, traceId, at, ...entry }: AuditEntry): GraphqlEntry {
  return { ...entry, at: at.toISOString(), details: details ?? null, traceId: traceId ?? null };
}
