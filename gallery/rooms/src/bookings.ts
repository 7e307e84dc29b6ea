import type { DatabaseError, Pool } from "pg";
import type { Booking, Room } from "./booking.ts";

/** A booking in the database, without the name of its person. */
export type StoredBooking = Omit<Booking, "person" | "from" | "until"> & { readonly from: Date; readonly until: Date };
export type NewBooking = Omit<StoredBooking, "id">;

const columns = `id, room_id as "roomId", user_id as "userId", purpose, lower(during) as "from", upper(during) as "until"`;

/** Codes of PostgreSQL. */
const refusals: Readonly<Record<string, "taken" | "no room">> = { "23P01": "taken", "23505": "taken", "23503": "no room" };

export class Bookings {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async rooms(): Promise<readonly Room[]> {
    return (await this.#pool.query<Room>("select id, name, seats from rooms order by name")).rows;
  }

  /** Returns "taken" if another room has the name. */
  addRoom(name: string, seats: number): Promise<Room | "taken" | "no room"> {
    return this.#insert<Room>("insert into rooms (name, seats) values ($1, $2) returning id, name, seats", [name, seats]);
  }

  /** Removes a room with its past bookings. Returns false if it has others, or does not exist. */
  async removeRoom(id: number): Promise<boolean> {
    const sql = `delete from rooms where id = $1
      and not exists (select from bookings where room_id = $1 and upper(during) > now())`;
    return (await this.#pool.query(sql, [id])).rowCount === 1;
  }

  /** The bookings that are in a time, also in part. */
  async between(from: Date, until: Date): Promise<readonly StoredBooking[]> {
    const sql = `select ${columns} from bookings where during && tstzrange($1, $2) order by lower(during), id`;
    return (await this.#pool.query<StoredBooking>(sql, [from, until])).rows;
  }

  /** Returns "taken" if a booking of the room overlaps. */
  add({ roomId, userId, purpose, from, until }: NewBooking): Promise<StoredBooking | "taken" | "no room"> {
    const sql = `insert into bookings (room_id, user_id, purpose, during) values ($1, $2, $3, tstzrange($4, $5)) returning ${columns}`;
    return this.#insert<StoredBooking>(sql, [roomId, userId, purpose, from, until]);
  }

  /** Removes a booking of a person, or of any person. Returns whether there was one. */
  async cancel(id: number, userId: string | null): Promise<boolean> {
    const sql = "delete from bookings where id = $1 and ($2::text is null or user_id = $2)";
    return (await this.#pool.query(sql, [id, userId])).rowCount === 1;
  }

  async #insert<T extends object>(sql: string, values: unknown[]): Promise<T | "taken" | "no room"> {
    try {
      const [row] = (await this.#pool.query<T>(sql, values)).rows;
      if (!row) throw new Error("the database returned no row");
      return row;
    } catch (error) {
      const refusal = refusals[(error as Partial<DatabaseError>).code ?? ""];
      if (refusal) return refusal;
      throw error;
    }
  }
}
