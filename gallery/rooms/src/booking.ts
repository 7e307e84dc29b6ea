/** What the API sends. The page uses the same types. */
export interface Room {
  readonly id: number;
  readonly name: string;
  readonly seats: number;
}

export interface Booking {
  readonly id: number;
  readonly roomId: number;
  readonly userId: string;
  /** The name of the person. */
  readonly person: string;
  readonly purpose: string;
  /** ISO 8601, UTC. The room is free again at `until`. */
  readonly from: string;
  readonly until: string;
}

export const maxName = 60;
export const maxSeats = 1_000;
export const maxPurpose = 100;
export const maxHours = 12;
export const maxDaysAhead = 366;
/** The longest time that a list of bookings covers. */
export const maxListedDays = 31;

/** May add and remove rooms, and cancel bookings of others. */
export const managePermission = "com.example.rooms:manage";
