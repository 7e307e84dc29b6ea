/** What a dialog is opened with. */
export interface Granted {
  readonly user?: string;
  readonly role?: string;
  readonly app?: string;
}
