export interface StoredBackup {
  readonly name: string;
  readonly bytes: number;
}

/** Where backups are kept. */
export interface BackupPlace {
  /** Returns the whole address of a backup, for people. */
  locationOf(name: string): string;
  /**
   * Stores a backup under a name, and returns its size. It is complete and safe when this resolves, and not there if this rejects. One of
   * this name is kept until then.
   */
  write(name: string, contents: AsyncIterable<Uint8Array>): Promise<number>;
  read(name: string): AsyncIterable<Uint8Array>;
  /** Returns the backups that have names of {@link backupName}, the oldest first. */
  list(): Promise<readonly StoredBackup[]>;
  remove(name: string): Promise<void>;
}

/** Returns the name of a backup. In their order, names are in the order of their times. */
export function backupName(instance: string, at: Date): string {
  const time = at.toISOString().replaceAll(/[-:]|\.\d+/g, "");
  return `appserver-${instance}-${time}.age`;
}

/** `instance`: only a name of its backups. */
export function isBackupName(name: string, instance?: string): boolean {
  const [, found] = /^appserver-(.+)-\d{8}T\d{6}Z\.age$/.exec(name) ?? [];
  return found !== undefined && (instance === undefined || found === instance);
}
