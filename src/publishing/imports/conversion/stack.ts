/** Adds children to a stack of a walk so that the first comes next. Spreading more than 100,000 would overflow the stack of calls. */
export const pushReversed = <A>(stack: Array<A>, children: ReadonlyArray<A>): void => {
  for (let at = children.length - 1; at >= 0; at--) stack.push(children[at] as A)
}

/** Adds items to the end of a list. */
export const pushAll = <A>(list: Array<A>, items: Iterable<A>): void => {
  for (const item of items) list.push(item)
}
