module __ELEMENT__

go 1.22
