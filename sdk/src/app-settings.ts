import type { KeyObject } from "node:crypto";
import type { JsonValue } from "@bufbuild/protobuf";
import type { AppEnvironment } from "./app-environment.ts";
import { createPlatformClient, type PlatformClient } from "./platform-client.ts";

/** Values by key: stored values, and defaults for the rest. Secrets are in plain text, because the app reads its own. */
export type SettingValues = Readonly<Record<string, JsonValue>>;

export interface AppSettingsOptions {
  /** Address of the platform and id of this app: `appEnvironment(process.env)`. */
  readonly environment: Pick<AppEnvironment, "appId" | "grpcAddress">;
  readonly appName: string;
  readonly privateKey: KeyObject;
  /** Called with the first values and after every change. */
  readonly onChange?: (values: SettingValues) => void;
  /** Called with the reason when the connection is lost; it is retried. By default it is printed on stderr, once per loss. */
  readonly onLost?: (error: unknown) => void;
}

/** The app's settings, kept current while the app runs. */
export interface AppSettings {
  /** The last values from the platform. Empty before the first. */
  readonly values: SettingValues;
  /** Resolves when the first values arrive. Never resolves if the platform did not start the app. */
  readonly ready: Promise<void>;
  /** Returns the value if it is a number, else `fallback`: an app must also run while the platform is unreachable. */
  number(key: string, fallback: number): number;
  /** Returns the value if it is a string, else `fallback`. */
  text(key: string): string | undefined;
  text(key: string, fallback: string): string;
  /** Merges values into the stored ones. null restores the default. Rejects if the platform refuses a value. */
  update(values: Readonly<Record<string, JsonValue>>): Promise<void>;
  /** Stops watching. */
  close(): void;
}

const firstRetryMs = 500;
const maxRetryMs = 30_000;

/**
 * Watches the app's settings (WatchSettings over gRPC) and reconnects after every loss. If the platform did not start the app,
 * `values` stays empty.
 */
export function appSettings(options: AppSettingsOptions): AppSettings {
  const { appId, grpcAddress } = options.environment;
  if (appId === undefined || grpcAddress === undefined) {
    const missing = [appId === undefined && "APP_ID", grpcAddress === undefined && "APPSERVER_GRPC_ADDRESS"].filter(Boolean);
    console.error(
      `settings of ${options.appName} are empty, because ${missing.join(" and ")} ${missing.length > 1 ? "are" : "is"} not set: ` +
        "the platform sets APP_ID and APPSERVER_GRPC_ADDRESS for the apps that it runs; for other apps, `appctl get <app>` prints the id",
    );
    return new LiveSettings(options, undefined);
  }
  const { appName: name, privateKey } = options;
  const platform = createPlatformClient({ grpcUrl: `http://${grpcAddress}`, app: { name, privateKey } });
  return new LiveSettings(options, { platform, appId });
}

class LiveSettings implements AppSettings {
  values: SettingValues = {};
  readonly ready: Promise<void>;
  readonly #options: AppSettingsOptions;
  readonly #home: { readonly platform: PlatformClient; readonly appId: string } | undefined;
  readonly #closed = new AbortController();
  #wake: () => void = () => {};

  constructor(options: AppSettingsOptions, home: { readonly platform: PlatformClient; readonly appId: string } | undefined) {
    this.#options = options;
    this.#home = home;
    this.ready = new Promise((resolve) => {
      this.#wake = resolve;
    });
    if (home) void this.#listen(home.platform, home.appId);
  }

  number(key: string, fallback: number): number {
    const value = this.values[key];
    return typeof value === "number" ? value : fallback;
  }

  text(key: string): string | undefined;
  text(key: string, fallback: string): string;
  text(key: string, fallback?: string): string | undefined {
    const value = this.values[key];
    return typeof value === "string" ? value : fallback;
  }

  async update(values: Readonly<Record<string, JsonValue>>): Promise<void> {
    if (!this.#home) throw new Error("the app was not started by a platform that keeps its settings");
    const { platform, appId } = this.#home;
    const { settings } = await platform.settings.updateSettings({ appId, values: { ...values } });
    if (settings?.values) this.#take(settings.values);
  }

  close(): void {
    this.#closed.abort();
  }

  async #listen(platform: PlatformClient, appId: string): Promise<void> {
    const { signal } = this.#closed;
    for (let retryMs = firstRetryMs; !signal.aborted; retryMs = Math.min(retryMs * 2, maxRetryMs)) {
      try {
        for await (const { settings } of platform.settings.watchSettings({ appId }, { signal })) {
          retryMs = firstRetryMs;
          this.#take(settings?.values ?? {});
        }
      } catch (error) {
        if (!signal.aborted && retryMs === firstRetryMs) this.#lost(error);
      }
      await pause(retryMs, signal);
    }
  }

  #take(values: SettingValues): void {
    this.values = values;
    this.#wake();
    this.#options.onChange?.(values);
  }

  #lost(error: unknown): void {
    const { onLost = (reason) => console.error("could not read the settings; retrying:", messageOf(reason)) } = this.#options;
    onLost(error);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    const timer = setTimeout(resolve, ms);
    // Waiting for the platform must not keep the process running.
    timer.unref();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
