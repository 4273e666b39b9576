// --list: everything available, and whether it can run here.
#pragma once

namespace everylink {

void print_list();

}  // namespace everylink
