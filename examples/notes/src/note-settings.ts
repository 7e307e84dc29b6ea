import type { AppSettings } from "@appserver/sdk";

/** Settings declared in app.yaml. Functions return the current value: an administrator may change it while the app runs. */
export interface NoteSettings {
  /** Number of notes in a page if the caller sets no limit. */
  pageSize(): number;
  /** Secret. A caller with this token may export all notes. If it is not set, the export is refused. */
  exportToken(): string | undefined;
}

/** Used until the first values from the platform arrive, and by an app that was started manually. */
export const defaultSettings: NoteSettings = { pageSize: () => 50, exportToken: () => undefined };

export function noteSettings(settings: AppSettings): NoteSettings {
  return {
    pageSize: () => settings.number("notes.page_size", defaultSettings.pageSize()),
    exportToken: () => settings.text("notes.export_token"),
  };
}
