// The number of files and sockets that this process may open (ulimit -n).
#pragma once

namespace everylink {

// Raises the soft limit to the hard one, for this process and its children: with too low a limit, links
// cannot be measured. Throws MachineError if the hard limit is too low for a process with this number of
// control connections; 0: not known, so the run shows whether it suffices.
void allow_open_files(int connections);

}  // namespace everylink
