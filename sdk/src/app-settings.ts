import type { KeyObject } from "node:crypto";
import type { JsonValue } from "@bufbuild/protobuf";
import type { AppEnvironment } from "./app-environment.ts";
import { createPlatformClient, type PlatformClient } from "./platform-client.ts";

/** Values by key: what is set, and defaults for the rest; secrets in plain text, since they are the app's own. */
export type SettingValues = Readonly<Record<string, JsonValue>>;

export interface AppSettingsOptions {
  /** Where the platform is and which app this is: `appEnvironment(process.env)`. */
  readonly environment: Pick<AppEnvironment, "appId" | "grpcAddress">;
  readonly appName: string;
  readonly privateKey: KeyObject;
  /** Told the values at first, and after every change. */
  readonly onChange?: (values: SettingValues) => void;
  /** Told why the platform cannot be heard; it is tried again. Default: said on stderr, once for each loss. */
  readonly onLost?: (error: unknown) => void;
}

/** The app's own settings, kept current while it runs. */
export interface AppSettings {
  /** What the platform said last; empty before it said anything. */
  readonly values: SettingValues;
  /** Resolves when the platform told the values first; never where the app runs by itself. */
  readonly ready: Promise<void>;
  /** The value where it is a number, else `fallback`: an app must run while the platform cannot be heard. */
  number(key: string, fallback: number): number;
  /** The value where it is a text, else `fallback`. */
  text(key: string): string | undefined;
  text(key: string, fallback: string): string;
  /** Merges values; null goes back to a default. Rejects with what the platform refuses. */
  update(values: Readonly<Record<string, JsonValue>>): Promise<void>;
  /** Listens no more. */
  close(): void;
}

const firstRetryMs = 500;
const longestRetryMs = 30_000;

/**
 * Listens to the app's own settings (WatchSettings over gRPC), and goes on after every loss. An app that was not started by
 * the platform has none: `values` stays empty.
 */
export function appSettings(options: AppSettingsOptions): AppSettings {
  const { appId, grpcAddress } = options.environment;
  if (appId === undefined || grpcAddress === undefined) {
    const missing = [appId === undefined && "APP_ID", grpcAddress === undefined && "APPSERVER_GRPC_ADDRESS"].filter(Boolean);
    console.error(
      `settings of ${options.appName} stay empty, for ${missing.join(" and ")} ${missing.length > 1 ? "are" : "is"} not set: ` +
        "the platform sets both for the apps it runs; for an app that runs by itself `appctl get <app>` prints its id",
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
  #tell: () => void = () => {};

  constructor(options: AppSettingsOptions, home: { readonly platform: PlatformClient; readonly appId: string } | undefined) {
    this.#options = options;
    this.#home = home;
    this.ready = new Promise((resolve) => {
      this.#tell = resolve;
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
    for (let retryMs = firstRetryMs; !signal.aborted; retryMs = Math.min(retryMs * 2, longestRetryMs)) {
      try {
        // A watch lasts as long as both sides live.
        for await (const { settings } of platform.settings.watchSettings({ appId }, { signal, timeoutMs: 0 })) {
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
    this.#tell();
    this.#options.onChange?.(values);
  }

  #lost(error: unknown): void {
    const { onLost = (reason) => console.error("settings cannot be heard, trying again:", messageOf(reason)) } = this.#options;
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
    // Waiting for the platform shall not keep an app alive that has nothing else to do.
    timer.unref();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
