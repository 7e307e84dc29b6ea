import type { AppSettings } from "@appserver/sdk";

/** What app.yaml declares under `settings`, asked each time: an administrator may change it while the app runs. */
export interface NoteSettings {
  /** How many notes a page has where the caller does not say. */
  pageSize(): number;
  /** Secret. Who brings it may take all notes away; nobody, while it is not set. */
  exportToken(): string | undefined;
}

/** Of an app that was started by hand, and until the platform has said something. */
export const defaultSettings: NoteSettings = { pageSize: () => 50, exportToken: () => undefined };

export function noteSettings(settings: AppSettings): NoteSettings {
  return {
    pageSize: () => settings.number("notes.page_size", defaultSettings.pageSize()),
    exportToken: () => settings.text("notes.export_token"),
  };
}
