export const dynamic = 'force-dynamic';

export default async function Own() {
  const response = await fetch(`http://127.0.0.1:${process.env.PORT}/slow`, { cache: 'no-store' });
  return <p>The slow page answered {response.status}</p>;
}
