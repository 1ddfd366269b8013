import type { Grant, StoreListener } from '@headgate/store-kit';
import { refOf } from './address.ts';
import type { Call, Notifications } from './calls.ts';
import { channelOf } from './notification-connection.ts';

export interface MessagesOptions {
  /** This process. */
  readonly owner: string;
  listener(): StoreListener | undefined;
  /** Sends these lines to a channel, in messages that begin with this word. */
  send(channel: string, word: string, lines: readonly string[]): void;
}

/** The messages by which an operation of one process affects others. */
export class Messages {
  constructor(private readonly options: MessagesOptions) {}

  /**
   * Reports grants to this process and to others. Asks the listed processes to release the permits that they hold in
   * reserve. Notifies the listed processes of a change in how the limit is operated.
   */
  announce({ grants, recalled, operated }: Notifications, call?: Call): void {
    const { owner: me, listener, send } = this.options;
    const others = new Map<string, string[]>();
    for (const grant of grants) {
      const [owner = ''] = grant.id.split('.', 1);
      const { id, fencing } = grant;
      if (owner === me) listener()?.grant(grant);
      else others.set(owner, [...(others.get(owner) ?? []), `${id} ${fencing}`]);
    }
    for (const [owner, lines] of others) send(channelOf(owner), 'grant', lines);
    // Only operations cause recalls, and an operation always has a call.
    if (call === undefined) return;
    const { label } = call.address;
    for (const owner of recalled) send(channelOf(owner), 'recall', [label]);
    for (const owner of operated) send(channelOf(owner), 'operated', [label]);
  }

  // Ignores malformed messages, since every role of the database may send notifications.
  receive(message: string): void {
    const [what, ...lines] = message.split('\n');
    const listener = this.options.listener();
    if (what === 'grant') for (const grant of grantsOf(lines)) listener?.grant(grant);
    if (what !== 'recall' && what !== 'operated') return;
    const ref = refOf(lines[0] ?? '');
    if (ref !== undefined) listener?.[what]?.(ref);
  }
}

function grantsOf(lines: readonly string[]): Grant[] {
  return lines.flatMap((line) => {
    const [, id, token] = /^(\S+) (\d+)$/.exec(line) ?? [];
    return id === undefined || token === undefined ? [] : [{ id, fencing: BigInt(token) }];
  });
}
