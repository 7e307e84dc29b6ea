/** What a dialog is opened with. */
export interface Granted {
  readonly user?: string;
  /** Empty: a new role, whose name is entered. */
  readonly role?: string;
  readonly app?: string;
}
