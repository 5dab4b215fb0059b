import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const BATCH = 1000

interface Row {
  readonly id: string
  readonly email: string
}

/** The canonical mailbox of an address at the time of this migration. */
const mailboxOf = (email: string) => {
  const at = email.lastIndexOf("@")
  const domain = email.slice(at + 1).replace(/\.$/, "")
  const isName = /^[\p{L}\p{N}\p{M}.-]+$/u.test(domain)
  const ascii = isName ? URL.parse(`http://${domain}`)?.hostname : undefined
  return `${email.slice(0, at).normalize("NFC").toLowerCase()}@${ascii ?? domain.toLowerCase()}`
}

/** One account for each mailbox, whatever the spelling of its address; proofs of confirmed changes; wallets to link. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The mailbox by which accounts are compared. It stays null for an account whose mailbox an older account has:
  // such an account is found by its address exactly as it stands.
  yield* sql`alter table owners add column mailbox text`
  yield* sql`create unique index owners_mailbox_key on owners (mailbox)`

  // A process of the version before writes addresses without their mailbox. An ASCII address has a simple one.
  yield* sql`
    create function owners_mailbox() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' then
        if new.mailbox is distinct from old.mailbox or new.email is not distinct from old.email then
          return new;
        end if;
        new.mailbox := null;
      end if;
      if new.mailbox is null and new.email ~ '^[ -~]+$' then
        new.mailbox := rtrim(lower(new.email), '.');
        if exists (select from owners where mailbox = new.mailbox and id <> new.id) then
          new.mailbox := null;
        end if;
      end if;
      return new;
    end $$`.unprepared
  yield* sql`
    create trigger owners_mailbox before insert or update of email on owners
    for each row execute function owners_mailbox()`.unprepared

  // Oldest first, but an address that is its own mailbox goes before others.
  let last = ""
  while (true) {
    const rows = yield* sql<Row>`
      select id, email from owners where email is not null and id::text > ${last}
      order by id::text limit ${BATCH}`
    for (const { email, id } of rows) {
      const mailbox = mailboxOf(email)
      yield* sql`
        update owners set mailbox = ${mailbox} where id = ${id} and not exists (
          select from owners o where o.id <> ${id} and (o.mailbox = ${mailbox} or o.email = ${mailbox}))`
    }
    const end = rows.at(-1)
    if (end === undefined) break
    last = end.id
  }

  // The proof that confirmed the address of an account, for repeats. sealed_pair is the answer to an e-mail session.
  yield* sql`
    create table email_confirmations (
      owner_id uuid primary key references owners (id) on delete cascade,
      change_id uuid not null,
      code_hash bytea not null check (octet_length(code_hash) = 32),
      confirmed_at timestamptz not null,
      session_id uuid,
      sealed_pair bytea
    )
  `
  yield* sql`
    create index email_confirmations_sealed on email_confirmations (confirmed_at) where sealed_pair is not null`
  yield* sql`
    insert into email_confirmations (owner_id, change_id, code_hash, confirmed_at)
    select c.owner_id, c.id, e.code_hash, c.confirmed_at
    from email_changes c join email_codes e on e.purpose = 'email_change' and e.subject = c.id::text
    where c.confirmed_at is not null`

  // Null for a mail of the version before, which is for the recipient as it is written.
  yield* sql`alter table mails add column mailbox text`

  // The account that a wallet is linked to by this challenge; null for a sign-in.
  yield* sql`alter table wallet_challenges add column owner_id uuid references owners (id) on delete cascade`
})
