/** The kind of work, as the bell, metrics and logs name it. */
export const FANOUTS = "notification_fanouts"
