export const dynamic = 'force-dynamic';

export default async function List() {
  const response = await fetch(process.env.BACKEND_URL, { cache: 'no-store' });
  const rows = await response.json();
  return (
    <table>
      <tbody>
        {rows.map(({ id, name, town, price }) => (
          <tr key={id}>
            <td>{name}</td>
            <td>{town}</td>
            <td>{price}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
