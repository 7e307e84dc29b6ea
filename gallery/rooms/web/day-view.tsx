import type { PageContext } from "@appserver/sdk/page";
import { callBackend, PageLink, Shown, useLoaded, WorkButton } from "@appserver/sdk/react";
import { type Booking, managePermission, type Room } from "../src/booking.ts";
import { BookingForm } from "./booking-form.tsx";

/** The bookings of a day in the time zone of the viewer. */
export function DayView({ page, day }: { readonly page: PageContext; readonly day: string }) {
  const [rooms] = useLoaded<{ readonly rooms: readonly Room[] }>(page, "/rooms");
  const start = new Date(`${day}T00:00`);
  const end = new Date(start);
  end.setDate(end.getDate() + 1);
  const query = new URLSearchParams({ from: start.toISOString(), until: end.toISOString() });
  const [booked, reload] = useLoaded<{ readonly bookings: readonly Booking[] }>(page, `/bookings?${query}`);
  const title = start.toLocaleDateString(page.locale, { weekday: "long", day: "numeric", month: "long", year: "numeric" });
  const showDay = (value: string): void => {
    if (value !== "") page.navigate(`/${value}`);
  };
  return (
    <>
      <header className="row spread">
        <h1>{title}</h1>
        <label>
          Day
          <input type="date" value={day} onChange={(event) => showDay(event.target.value)} />
        </label>
      </header>
      <Shown loaded={rooms}>
        {({ rooms: list }) =>
          list.length === 0 ? (
            <NoRooms page={page} />
          ) : (
            <Shown loaded={booked}>
              {({ bookings }) => (
                <div className="stack">
                  <div className="grid">
                    {list.map((room) => (
                      <RoomDay
                        key={room.id}
                        page={page}
                        room={room}
                        bookings={bookings.filter(({ roomId }) => roomId === room.id)}
                        onChange={reload}
                      />
                    ))}
                  </div>
                  <BookingForm page={page} rooms={list} day={day} onBooked={reload} />
                </div>
              )}
            </Shown>
          )
        }
      </Shown>
    </>
  );
}

function NoRooms({ page }: { readonly page: PageContext }) {
  return (
    <div className="empty">
      <p>There is no room yet.</p>
      {page.can(managePermission) && (
        <PageLink page={page} to="/rooms" className="button primary">
          Add a room
        </PageLink>
      )}
    </div>
  );
}

function RoomDay(props: {
  readonly page: PageContext;
  readonly room: Room;
  readonly bookings: readonly Booking[];
  readonly onChange: () => void;
}) {
  const { page, room, bookings, onChange } = props;
  const format = new Intl.DateTimeFormat(page.locale, { hour: "2-digit", minute: "2-digit" });
  const cancel = async (id: number): Promise<void> => {
    await callBackend(page, "DELETE", `/bookings/${id}`);
    onChange();
  };
  return (
    <section className="card stack">
      <header className="row spread">
        <h2>{room.name}</h2>
        <span className="small dim">{room.seats} seats</span>
      </header>
      {bookings.length === 0 && <p className="dim">Free all day</p>}
      {bookings.map(({ id, userId, person, purpose, from, until }) => (
        <div key={id} className="row spread">
          <div>
            <strong>{format.formatRange(new Date(from), new Date(until))}</strong> {purpose}
            <div className="small dim">{person}</div>
          </div>
          {(`user:${userId}` === page.viewer.subject || page.can(managePermission)) && (
            <WorkButton page={page} className="link" work={() => cancel(id)}>
              Cancel
            </WorkButton>
          )}
        </div>
      ))}
    </section>
  );
}
