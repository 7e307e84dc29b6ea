import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buildFrontend } from "@appserver/builds/frontend";
import { appserver, ProductionServer, startProductionServices } from "@appserver/testing/kit/production";
import { startPrivateKratos } from "../../../../tools/services/kratos.ts";
import type { KratosAccounts } from "../../../../tools/services/kratos-accounts.ts";
import { quietPort } from "../../../kit/quiet-port.ts";

/** `appserver serve` on real servers, with a Kratos of its own that knows the platform's address. It trusts forwarding headers. No orchestrator and no apps. */
export interface KratosPlatform {
  readonly httpUrl: string;
  readonly accounts: KratosAccounts;
  /** Makes the user an administrator. */
  makeAdministrator(userId: string): Promise<void>;
  readonly kratos: { kill(): Promise<void>; start(): Promise<void> };
  stop(): Promise<void>;
}

export async function startKratosPlatform(): Promise<KratosPlatform | { readonly unavailable: string }> {
  const folder = mkdtempSync(join(tmpdir(), "appserver-kratos-pages-"));
  const port = await quietPort();
  const kratos = await startPrivateKratos(folder, { platformUrl: `http://127.0.0.1:${port}` });
  if ("unavailable" in kratos) return kratos;
  const services = await startProductionServices({ kratos });
  if ("unavailable" in services) {
    await kratos.stop();
    return services;
  }
  const { environment, accounts } = services;
  await appserver(["migrate"], environment);
  await appserver(["authz", "bootstrap"], environment);
  await buildFrontend(resolve(import.meta.dirname, "../../../../apps/console"));
  const server = await ProductionServer.create(
    { ...environment, APPSERVER_HTTP_PORT: String(port), APPSERVER_TRUSTED_PROXIES: "127.0.0.1" },
    join(folder, "server.log"),
  );
  server.start();
  await server.ready();
  return {
    httpUrl: server.httpUrl,
    accounts,
    kratos,
    makeAdministrator: async (userId) => {
      await appserver(["authz", "grant", `user:${userId}`, "assignee", "role:easy"], environment);
    },
    stop: async () => {
      await server.stop();
      await services.stop();
      await kratos.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
