import { apiPath } from "@appserver/contracts/patterns";
import { AppState, HealthState, PermissionSchema, ProblemSchema } from "@appserver/contracts/proto/appserver/v2/common";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import {
  type App,
  type ApprovePermissionsRequest,
  AppSchema,
  type InstallAppRequest,
  type ListAppsRequest,
  type PlanInstallRequest,
  type RegisterAppRequest,
  type RegisterAppStreamRequest,
  type UninstallAppRequest,
  type ValidateManifestRequest,
  type WatchAppsRequest,
} from "@appserver/contracts/proto/appserver/v2/marketplace";
import { AppError, type BufferLease, type Caller, nextPageToken, requirePermission } from "@appserver/kernel";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { AppRecord, Problem } from "../domain/app.ts";
import type { AppState as DomainState } from "../domain/app-state.ts";
import type { AppNews } from "../ports.ts";
import { admitRegistration, type RegistrationRequest } from "../use-cases/admit-registration.ts";
import { approvePermissions } from "../use-cases/approve-permissions.ts";
import { type MarketplaceContext, manifestOf, requireApp } from "../use-cases/context.ts";
import { missingApprovals } from "../use-cases/grant-permissions.ts";
import { installApp } from "../use-cases/install-app.ts";
import { planInstall } from "../use-cases/plan-install.ts";
import { cursorOf, listApps, matchesFilter } from "../use-cases/read-apps.ts";
import { registerApp, rehearseRegistration } from "../use-cases/register-app.ts";
import { uninstallApp } from "../use-cases/uninstall-app.ts";
import { assembleRegistration, type RegistrationMessage } from "./assemble-registration.ts";

/** The data that the gRPC listener passes for each call. */
export interface GrpcCall {
  readonly caller: Caller;
  /**
   * The caller of a registration. An open platform does not raise it to an administrator, because that would bypass the pinning
   * of keys.
   */
  readonly registrant: Caller;
  /** The token from the metadata. A token in the message takes precedence. */
  readonly registrationToken: string | undefined;
  /** Accounts for the memory that the call holds. The transport releases it. */
  readonly lease: BufferLease;
  readonly signal: AbortSignal;
}

export interface GrpcDependencies<C> {
  readonly context: MarketplaceContext;
  readonly news: AppNews;
  /** Reads the caller and the signal from the transport's context. */
  readonly call: (transport: C) => GrpcCall;
  readonly assetUrl: (appName: string, assetName: string, sha256: string) => string;
}

/** Returns the implemented methods of `appserver.v2.MarketplaceService`. They only translate between gRPC and the use cases. */
export function marketplaceGrpc<C>(deps: GrpcDependencies<C>) {
  const { context, call } = deps;
  const view = (app: AppRecord): Promise<App> => appMessage(deps, app);
  const requestOf = (from: RegistrationMessage, { registrant, registrationToken }: GrpcCall): RegistrationRequest => ({
    manifest: required(from.manifest),
    token: from.token ?? registrationToken,
    manifestSignature: from.manifestSignature,
    caller: registrant,
  });
  const register = async (request: RegistrationRequest) => {
    const { app, changed, warnings } = await registerApp(context, request);
    return { app: await view(app), changed, warnings: warnings.map(problemMessage) };
  };

  return {
    registerApp: (request: RegisterAppRequest, transport: C) => register(requestOf(request, call(transport))),
    registerAppStream: async (requests: AsyncIterable<RegisterAppStreamRequest>, transport: C) => {
      const current = call(transport);
      return register(
        await assembleRegistration(requests, current.lease, (header) => {
          const request = requestOf(header, current);
          admitRegistration(context, request);
          return request;
        }),
      );
    },
    validateManifest: async (request: ValidateManifestRequest, transport: C) => {
      const { manifestSignature } = request;
      const caller = call(transport).registrant;
      const rehearsal = { manifest: required(request.manifest), manifestSignature, caller };
      const { violations, warnings } = await rehearseRegistration(context, rehearsal);
      return {
        valid: violations.length === 0,
        violations: violations.map(({ field, message }) => ({ field, message })),
        warnings: warnings.map((warning) =>
          problemMessage({ code: "INVALID_REQUEST", message: `${warning.field} ${warning.message}` }),
        ),
      };
    },
    planInstall: async (request: PlanInstallRequest, transport: C) => {
      await requirePermission(context.permissions, call(transport).caller, "app:view");
      const plan = await planInstall(context, request.name);
      const missing = await missingApprovals(context, plan.app, await manifestOf(context, plan.app));
      return {
        steps: plan.steps.map((step) => ({ ...step })),
        blockers: plan.blockers.map(problemMessage),
        warnings: plan.warnings.map(problemMessage),
        approvalsNeeded: missing.map(({ scope, resourceType, reason }) =>
          create(PermissionSchema, { scope, resourceType, reason, requiresApproval: true }),
        ),
        digest: plan.digest,
      };
    },
    installApp: async (request: InstallAppRequest, transport: C) => {
      const { name, planDigest } = request;
      const { app, warnings } = await installApp(context, { name, planDigest, caller: call(transport).caller });
      return { app: await view(app), warnings: warnings.map(problemMessage) };
    },
    approvePermissions: async (request: ApprovePermissionsRequest, transport: C) => {
      const { name, scopes, manifestDigest } = request;
      const { caller } = call(transport);
      return { app: await view(await approvePermissions(context, { name, scopes, manifestDigest, caller })) };
    },
    uninstallApp: async (request: UninstallAppRequest, transport: C) => {
      const { caller } = call(transport);
      return { app: await view(await uninstallApp(context, { name: request.name, purgeData: request.purgeData, caller })) };
    },
    getApp: async (request: { readonly name: string }, transport: C) => {
      await requirePermission(context.permissions, call(transport).caller, "app:view");
      return { app: await view((await requireApp(context, request.name)).app) };
    },
    listApps: async (request: ListAppsRequest, transport: C) => {
      await requirePermission(context.permissions, call(transport).caller, "app:view");
      const page = await listApps(context, filterOf(request), { first: request.pageSize, after: request.pageToken });
      return { apps: await Promise.all(page.items.map(view)), nextPageToken: nextPageToken(page, cursorOf) };
    },
    watchApps: async function* (request: WatchAppsRequest, transport: C) {
      const { caller, signal } = call(transport);
      await requirePermission(context.permissions, caller, "app:view");
      const filter = filterOf(request);
      for await (const change of deps.news.changes(signal)) {
        const stored = await context.store.findByName(change.appName);
        if (!stored) continue;
        const app = { ...stored, state: change.state ?? stored.state };
        if (matchesFilter(app, filter)) yield { app: await view(app) };
      }
    },
  };
}

function required(manifest: AppManifest | undefined): AppManifest {
  if (manifest) return manifest;
  throw new AppError("INVALID_REQUEST", "manifest is required", {
    violations: [{ field: "manifest", message: "is required" }],
  });
}

function filterOf(request: { readonly names: readonly string[]; readonly states: readonly AppState[] }) {
  return {
    ...(request.names.length > 0 ? { names: request.names } : {}),
    ...(request.states.length > 0 ? { states: request.states.map((state) => AppState[state] as DomainState) } : {}),
  };
}

async function appMessage<C>(deps: GrpcDependencies<C>, app: AppRecord): Promise<App> {
  const manifest = await manifestOf(deps.context, app);
  const entryName = manifest.webApp?.ui?.entryAssetName;
  const entry = manifest.webApp?.assets.find((asset) => asset.name === entryName);
  return create(AppSchema, {
    id: app.id,
    name: app.name,
    displayName: app.displayName,
    version: app.version,
    ...(app.availableVersion === undefined ? {} : { availableVersion: app.availableVersion }),
    state: AppState[app.state],
    enabled: app.enabled,
    health: HealthState[app.health],
    registeredAt: timestampFromDate(app.registeredAt),
    ...(app.installedAt ? { installedAt: timestampFromDate(app.installedAt) } : {}),
    updatedAt: timestampFromDate(app.updatedAt),
    manifestDigest: app.manifestDigest,
    certificateFingerprint: app.certificateFingerprint,
    ...(app.lastError ? { lastError: problemMessage(app.lastError) } : {}),
    ...(manifest.webApp?.api ? { apiUrl: apiPath(app.name) } : {}),
    ...(entry ? { entryUrl: deps.assetUrl(app.name, entry.name, entry.sha256.toLowerCase()) } : {}),
  });
}

function problemMessage(problem: Problem) {
  // Details are always JSON, since they pass through JSON columns and bodies elsewhere.
  return create(ProblemSchema, {
    code: problem.code,
    message: problem.message,
    ...(problem.details ? { details: JSON.parse(JSON.stringify(problem.details)) } : {}),
  });
}
