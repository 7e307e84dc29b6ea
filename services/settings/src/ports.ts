import type { SettingDefinition } from "@appserver/contracts/proto/appserver/v2/settings";
import type { ReplicaLimit } from "@appserver/contracts/settings";
import type { AuditRecord } from "@appserver/kernel/ports";

export type { UnreadableSecret } from "@appserver/kernel/ports";

import type { StoredSettings, StoredValue, ValuesChange } from "./domain/stored-settings.ts";

/** The app that owns the settings. */
export interface SettingsApp {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** The definitions in the manifest of the installed version, or of the version that an installation would use. */
  readonly definitions: readonly SettingDefinition[];
  /** The digest of the image that this manifest names. Then the image stage has no effect. */
  readonly imageDigest?: string | undefined;
  /** How many instances of it run at most. Undefined: as the definition of the setting says. */
  readonly replicaLimit?: ReplicaLimit | undefined;
  /** False from the start of its uninstallation. Settings that the app writes after that would remain after a purge. */
  readonly mayWrite: boolean;
  /** Time of the app's last change. Its schema may have changed then. */
  readonly updatedAt: Date;
}

/** The registered apps. The composer connects the marketplace. */
export interface Apps {
  /** Returns the app by id. Undefined if it is not registered. */
  find(appId: string): Promise<SettingsApp | undefined>;
}

/** Change notifications of settings, for watchers. */
export interface SettingsNotifications {
  /**
   * Yields whenever the app's settings or its schema may have changed since this call. Ends with the signal. Notifications may
   * be lost while the broker is unavailable.
   */
  changes(appName: string, signal: AbortSignal): AsyncIterable<void>;
}

/** A key for settings at rest. */
export interface EncryptionKey {
  /** Letters, digits, `_` and `-`, at most 32. Values that are encrypted with the key contain this id. */
  readonly id: string;
  /** 32 bytes. */
  readonly key: Uint8Array;
}

/** Provides the keys for settings at rest. */
export interface EncryptionKeys {
  /** Returns the keys, newest first, at least one. Called again when a value was sealed with an unknown key. */
  load(): Promise<readonly EncryptionKey[]>;
}

/** All changes that one command makes. */
export interface SettingsChange extends ValuesChange {
  /**
   * Undefined if no caller sees a change, for example when values are sealed again. Otherwise the version grows and an event is
   * emitted.
   */
  readonly audit?: AuditRecord;
}

/** A sealed value in the form that key rotation reads. */
export interface SealedRow {
  readonly appId: string;
  readonly key: string;
  readonly text: string;
}

/** Stores settings at rest. */
export interface SettingsStore {
  /** Returns the stored values of several apps by the id of the app, in one statement. Apps without one are missing. */
  valuesOf(appIds: readonly string[]): Promise<ReadonlyMap<string, readonly StoredValue[]>>;
  load(appId: string): Promise<StoredSettings>;
  /**
   * Changes the settings of an app. There is one writer per app at a time, so no other writer changes what `decide` reads. Its
   * result is written in one transaction with the event `settings.updated` and the audit entry. Nothing is written if `decide`
   * returns undefined or rejects. Returns the stored settings.
   */
  change(app: SettingsApp, decide: (current: StoredSettings) => Promise<SettingsChange | undefined>): Promise<StoredSettings>;
  /** Returns sealed values whose key is not `keyId`, sorted by app and key, starting after `after`. */
  sealedOtherwise(keyId: string, after: SealedRow | undefined, limit: number): Promise<readonly SealedRow[]>;
  /**
   * Replaces the stored text of each row with `next`, if it still equals `text`. Values that were written in between are kept.
   * Returns the number of replaced values.
   */
  reseal(rows: readonly (SealedRow & { readonly next: string })[]): Promise<number>;
  /** Stores an audit entry alone, in its own transaction. */
  audit(entry: AuditRecord): Promise<void>;
}
