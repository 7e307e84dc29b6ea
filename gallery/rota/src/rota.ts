/** What the API sends. The page uses the same types. */
export interface Member {
  readonly id: string;
  readonly name: string;
}

export interface Week {
  /** Its first day: `2026-11-30`. */
  readonly monday: string;
  /** Absent while the week is open. */
  readonly onDuty?: Member;
  /** Who was asked to take the week. */
  readonly asked?: Member;
}

/** How many weeks the list has, with the present one. */
export const shownWeeks = 12;

/** May say who is on duty. Everyone with `com.example.rota:view` may swap their own weeks. */
export const planPermission = "com.example.rota:plan";
