import type { PageContext } from "@appserver/sdk/page";
import { callBackend, PageLink, SendForm, Shown, useLoaded, WorkButton } from "@appserver/sdk/react";
import { maxName, maxSeats, type Room } from "../src/booking.ts";

/** For those who manage rooms: the backend refuses the changes of others. */
export function RoomList({ page }: { readonly page: PageContext }) {
  const [loaded, reload] = useLoaded<{ readonly rooms: readonly Room[] }>(page, "/rooms");
  const add = async ({ name, seats }: Readonly<Record<string, string>>): Promise<void> => {
    await callBackend(page, "POST", "/rooms", { name, seats: Number(seats) });
    reload();
  };
  const remove = async (id: number): Promise<void> => {
    await callBackend(page, "DELETE", `/rooms/${id}`);
    reload();
  };
  return (
    <div className="narrow stack">
      <PageLink page={page} to="">
        Bookings of today
      </PageLink>
      <h1>Manage rooms</h1>
      <Shown loaded={loaded}>
        {({ rooms }) =>
          rooms.length === 0 ? (
            <p className="empty">There is no room yet.</p>
          ) : (
            <table>
              <thead>
                <tr>
                  <th>Room</th>
                  <th>Seats</th>
                  <th>Change</th>
                </tr>
              </thead>
              <tbody>
                {rooms.map(({ id, name, seats }) => (
                  <tr key={id}>
                    <td>{name}</td>
                    <td>{seats}</td>
                    <td>
                      <WorkButton page={page} className="link" work={() => remove(id)}>
                        Remove
                      </WorkButton>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Shown>
      <SendForm send={add} submit="Add the room">
        <label>
          Name
          <input name="name" required maxLength={maxName} />
        </label>
        <label>
          Seats
          <input name="seats" type="number" required min={1} max={maxSeats} defaultValue={6} />
        </label>
      </SendForm>
    </div>
  );
}
