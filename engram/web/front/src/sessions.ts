// A session of a program is called after its project and a long id, of which the first digits tell it from others.
export const inShort = (name: string): string => name.replace(/(-[0-9a-f]{8})-[0-9a-f]{4}(?:-[0-9a-f]{4}){2}-[0-9a-f]{12}$/, "$1");
