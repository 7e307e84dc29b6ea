import type { SettingDefinition } from "@appserver/contracts/proto/appserver/v2/settings";
import type { StoredSettings, StoredValue } from "./domain/stored-settings.ts";

/** An app whose settings these are. */
export interface SettingsApp {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** Of the version that is, or would be, installed: as its manifest declares them. */
  readonly definitions: readonly SettingDefinition[];
  /** False from the moment that its uninstallation begins: what it writes then would outlive a purge. */
  readonly mayWrite: boolean;
  /** When it last changed: its schema may have, then. */
  readonly updatedAt: Date;
}

/** The registered apps. The composer plugs the marketplace in. */
export interface Apps {
  /** By id; undefined for one that is not registered. */
  find(appId: string): Promise<SettingsApp | undefined>;
}

/** News of settings, for those who watch. */
export interface SettingsNews {
  /**
   * Yields whenever the settings of the app, or its schema, may have changed since this call; ends with the signal. News may
   * be lost while the broker is away.
   */
  changes(appName: string, signal: AbortSignal): AsyncIterable<void>;
}

/** A key of settings at rest. */
export interface EncryptionKey {
  /** Letters, digits, `_` and `-`, at most 32: what is encrypted with the key carries it. */
  readonly id: string;
  /** 32 bytes. */
  readonly key: Uint8Array;
}

/** Where the keys of settings at rest come from. */
export interface EncryptionKeys {
  /** Newest first, at least one. Asked again when a value turns up that was sealed with an unknown key. */
  load(): Promise<readonly EncryptionKey[]>;
}

/** Everything that one command changes. */
export interface SettingsChange {
  readonly sets: readonly Omit<StoredValue, "updatedAt">[];
  readonly removes: readonly string[];
  /** Absent when nothing changes that anybody can see: values sealed anew. Else the version grows and the news goes out. */
  readonly visible?: {
    /** `settings.update` and the like, for the audit log. */
    readonly action: string;
    readonly actor: string;
  };
  readonly at: Date;
}

/** A value as the rotation of keys moves it on. */
export interface SealedRow {
  readonly appId: string;
  readonly key: string;
  readonly text: string;
}

/** Settings at rest. */
export interface SettingsStore {
  load(appId: string): Promise<StoredSettings>;
  /**
   * One writer of an app at a time: `decide` sees what no other can change meanwhile. What it answers is written in one
   * transaction with the event `settings.updated` and the audit entry; undefined or a rejection writes nothing. Answers what
   * is stored then.
   */
  change(app: SettingsApp, decide: (current: StoredSettings) => Promise<SettingsChange | undefined>): Promise<StoredSettings>;
  /** Sealed values whose key is not `keyId`, by app and key, after `after`. */
  sealedOtherwise(keyId: string, after: SealedRow | undefined, limit: number): Promise<readonly SealedRow[]>;
  /** Puts `next` in the place of what still has its `text`; values that somebody wrote meanwhile stay. Answers how many. */
  reseal(rows: readonly (SealedRow & { readonly next: string })[]): Promise<number>;
  /** Remembers who rotated the keys and what came of it. */
  auditRotation(actor: string, details: Readonly<Record<string, unknown>>): Promise<void>;
}
