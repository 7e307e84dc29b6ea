import { scopeObject } from "@appserver/contracts/authorization";
import type { AuditEntry as GraphqlEntry } from "@appserver/contracts/graphql/types";
import { AppError, actorOf, type Caller, isUuid, subjectOf } from "@appserver/kernel";
import type { AuditEntry, AuditLog, AuditQuery, Authorization } from "@appserver/kernel/ports";

interface AuditArguments {
  readonly target?: string | null;
  readonly first?: number | null;
  readonly after?: string | null;
}

const pageLimits = { default: 50, most: 250 } as const;
const permission = "audit:view";

/** The query `auditLog`, newest first, for holders of `audit:view`. A cursor is the id of its entry. */
export function auditResolvers(audit: Pick<AuditLog, "read" | "count">, authorization: Pick<Authorization, "check">) {
  return {
    AuditConnection: {
      /** Counted only where it is asked for. */
      totalCount: ({ target }: { readonly target: Pick<AuditQuery, "target"> }) => audit.count(target),
    },
    Query: {
      auditLog: async (_: unknown, args: AuditArguments, { caller }: { readonly caller: Caller }) => {
        await requireView(caller, authorization);
        const { target, first, after } = readArguments(args);
        // One more than asked for, to know whether there is more.
        const found = await audit.read({ ...target, ...after, limit: first + 1 });
        const edges = found.slice(0, first).map((entry) => ({ cursor: entry.id, node: present(entry) }));
        return {
          edges,
          target,
          pageInfo: {
            hasNextPage: found.length > first,
            hasPreviousPage: after.after !== undefined,
            startCursor: edges[0]?.cursor ?? null,
            endCursor: edges.at(-1)?.cursor ?? null,
          },
        };
      },
    },
  };
}

async function requireView(caller: Caller, authorization: Pick<Authorization, "check">): Promise<void> {
  if (caller.kind === "system") return;
  const user = subjectOf(caller);
  if (user === undefined) throw new AppError("AUTHENTICATION_REQUIRED", `${permission} needs a session or a signed request`);
  if (await authorization.check({ user, relation: "holder", object: scopeObject(permission) })) return;
  throw new AppError("PERMISSION_DENIED", `${actorOf(caller)} lacks the permission ${permission}`, { details: { permission } });
}

function readArguments(args: AuditArguments) {
  const first = args.first ?? pageLimits.default;
  if (first < 1 || first > pageLimits.most) throw invalid("first", `must be 1 to ${pageLimits.most}, got ${first}`);
  const { target } = args;
  if (target?.includes("\u0000")) throw invalid("target", "must not hold NUL");
  const after = args.after === "" ? undefined : (args.after ?? undefined);
  if (after !== undefined && !isUuid(after)) throw invalid("after", "must be an endCursor of this list");
  return { first, target: target == null ? {} : { target }, after: after === undefined ? {} : { after } };
}

function invalid(field: string, message: string): AppError {
  return new AppError("INVALID_REQUEST", `${field} ${message}`, { violations: [{ field, message }] });
}

function present({ details, traceId, at, ...entry }: AuditEntry): GraphqlEntry {
  return { ...entry, at: at.toISOString(), details: details ?? null, traceId: traceId ?? null };
}
