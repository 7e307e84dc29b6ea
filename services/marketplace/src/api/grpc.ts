import {
  type GetAppRequest,
  type GetReleaseRequest,
  GetReleaseResponseSchema,
  type InstallAppRequest,
  type UninstallAppRequest,
} from "@appserver/contracts/proto/appserver/v2/marketplace";
import { type Call, callOn } from "@appserver/kernel";
import { create } from "@bufbuild/protobuf";
import type { AppRecord } from "../domain/app.ts";
import { certificateExpiry } from "../use-cases/apps-with-needs.ts";
import type { MarketplaceContext } from "../use-cases/context.ts";
import { liveOf, manifestOf, unknownApp } from "../use-cases/find-app.ts";
import { installApp } from "../use-cases/install-app.ts";
import type { CommandResult } from "../use-cases/operation.ts";
import { readApp } from "../use-cases/read-apps.ts";
import { readRelease } from "../use-cases/read-release.ts";
import { uninstallApp } from "../use-cases/uninstall-app.ts";
import { type AssetUrl, appMessage, operationMessage, problemMessage } from "./grpc/messages.ts";
import { registrationMethods } from "./grpc/registration.ts";

export interface GrpcDeps {
  readonly context: MarketplaceContext;
  readonly assetUrl: AssetUrl;
}

/** Returns the implemented methods of `appserver.v2.MarketplaceService`. They only translate between gRPC and the use cases. */
export function marketplaceGrpc({ context, assetUrl }: GrpcDeps) {
  const view = async (app: AppRecord) => {
    const [manifest, live] = await Promise.all([manifestOf(context, app), liveOf(context, app)]);
    return appMessage(app, { manifest, certificateExpiresAt: live && certificateExpiry(live), assetUrl });
  };
  const resultOf = async ({ app, operation }: CommandResult) => ({
    app: await view(app),
    operation: operationMessage(operation),
  });

  return {
    ...registrationMethods(context, resultOf),
    installApp: async (request: InstallAppRequest, call: Call) => {
      const { warnings, ...installed } = await installApp(context, request, callOn(call, request.name));
      return { ...(await resultOf(installed)), warnings: warnings.map(problemMessage) };
    },
    uninstallApp: async (request: UninstallAppRequest, call: Call) =>
      resultOf(await uninstallApp(context, request, callOn(call, request.name))),
    getApp: async ({ name }: GetAppRequest, call: Call) => {
      const app = await readApp(context, name, call);
      if (!app) throw unknownApp(name);
      return { app: await view(app) };
    },
    getRelease: async function* (request: GetReleaseRequest, call: Call) {
      const { manifest, signature: manifestSignature, certificate, parts } = await readRelease(context, request, call);
      const header = { manifest, certificate, ...(manifestSignature && { manifestSignature }) };
      yield create(GetReleaseResponseSchema, { part: { case: "header", value: header } });
      for await (const value of parts) yield create(GetReleaseResponseSchema, { part: { case: "chunk", value } });
    },
  };
}
