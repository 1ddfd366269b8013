/** What concerns only this repository does not reach the published `package.json`. */
function beforePacking({ devDependencies, scripts, ...published }) {
  return published;
}

module.exports = { hooks: { beforePacking } };
